polytrace view bach/special.tr -n1 -c row,record
polytrace view --count 1 --columns row,record -- bach/special.tr
cp bach/special.tr $T/-n && cd $T && polytrace view --count=0x1 -crow,record -- -n
