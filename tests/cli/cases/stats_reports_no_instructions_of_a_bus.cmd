polytrace stats --all bach/special.tr | grep '^[A-Z]'
polytrace stats -a mix bach/special.tr
echo $?
