printf '0 1\n1 2\n2 zz\n' | polytrace check --from din
printf '0 1\n1 2\n2 zz\n' | polytrace view --from din >$T/view
