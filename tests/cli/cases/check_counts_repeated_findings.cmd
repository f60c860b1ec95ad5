polytrace check bach/enables.tr bach/nibbles.tr
