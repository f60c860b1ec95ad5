polytrace convert tarmac/owner.tarmac --to qemu4v -o -
polytrace convert tarmac/owner.tarmac --to qemu4v --strict -o -
echo $?
polytrace convert qemu4v/seed3.q4v --to tarmac -o -
polytrace convert qemu4v/seed3.q4v --to qemu4v -T qemu4v.profile=microtesk -o -
