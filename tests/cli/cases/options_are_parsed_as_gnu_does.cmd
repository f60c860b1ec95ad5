polytrace view bach/special.tr -n1 -c number,record
polytrace view --count 1 --columns number,record -- bach/special.tr
cp bach/special.tr $T/-n && cd $T && polytrace view --count=0x1 -cnumber,record -- -n
