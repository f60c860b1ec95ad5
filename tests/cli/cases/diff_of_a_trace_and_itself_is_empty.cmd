polytrace diff qemu4v/arm_start_2k.q4v qemu4v/arm_start_2k.q4v
