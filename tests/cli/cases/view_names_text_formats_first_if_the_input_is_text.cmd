printf 'I  04016d90,3\n0 10\nneither\nnor\n' | polytrace view
printf 'I  04016d90,3\n0 10\nneither\nnor\000\n' | polytrace view
