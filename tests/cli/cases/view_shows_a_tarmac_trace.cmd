polytrace view tarmac/owner.tarmac
polytrace view -O tarmac.owner=none -c record,cpu tarmac/owner.tarmac
polytrace view -O tarmac.unit=ps -c row,time,access,address,size,value tarmac/times.tarmac
