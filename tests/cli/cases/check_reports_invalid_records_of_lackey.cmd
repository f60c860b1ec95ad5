printf 'I  04016d90,3\n\r\n S 04016d90,3\n' | polytrace check --from lackey
printf 'I  04016d90,3\nSB 04016d90\n S 04016d90,3\n' | polytrace check --from lackey
