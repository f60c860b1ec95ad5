polytrace convert lackey/words.lackey -t din -o - | sed -n 1,8p
polytrace convert lackey/words.lackey -T din.form=sized -o $T/words.din && sed -n 1,5p $T/words.din
polytrace info --from din $T/words.din | grep -A 4 '^Accesses'
