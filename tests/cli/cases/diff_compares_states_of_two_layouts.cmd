# needs isal
polytrace diff full/thread_001.full1004.gz full/thread_001.full1008.gz
polytrace diff -i reg:r9 full/thread_001.full1004.gz full/thread_001.full1008.gz
