polytrace info amber/thread_001.tt6e
