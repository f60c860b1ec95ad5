printf 'nothing that is a trace\n' | polytrace view
echo nothing | polytrace view --from tt7
