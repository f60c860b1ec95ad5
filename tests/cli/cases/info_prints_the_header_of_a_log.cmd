polytrace info aix/base-1.trc
