-- Of no tenant, and worthless after a crash of the server: buckets are full again, and replicas report within a second.
CREATE UNLOGGED TABLE "request_rates" (
    "subject" TEXT NOT NULL,
    "full_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "request_rates_pkey" PRIMARY KEY ("subject")
);

CREATE UNLOGGED TABLE "gateway_replicas" (
    "id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gateway_replicas_pkey" PRIMARY KEY ("id")
);
