-- Copies of the data of payers expire.
DROP TABLE "copy_erasures";
