polytrace convert --where 'kind == access' --to din -o - bach/nibbles.tr | head -3
