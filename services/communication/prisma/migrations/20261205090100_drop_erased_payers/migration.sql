-- `payer_erasures` has the hashes.
DROP TABLE "erased_payers";
