polytrace calls amber/thread_001.tt6
