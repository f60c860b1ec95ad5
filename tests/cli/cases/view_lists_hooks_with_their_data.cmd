polytrace view aix/wrapped1112.trc
polytrace view -c record,address,size,value,origin -n 4 aix/wrapped1112.trc
polytrace view --from aix aix/vectors/all.raw
