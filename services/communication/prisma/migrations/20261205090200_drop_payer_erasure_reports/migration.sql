-- `payer_erasure_requests` has the reports.
DROP TABLE "payer_erasure_reports";
