-- The column has the name that the code uses: a message was published that brings the delivery to a worker.
ALTER TABLE "deliveries" RENAME COLUMN "queued" TO "published";
