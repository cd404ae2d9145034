-- Copies of the data of payers expire.
DROP TABLE "erased_resources";
