-- The gateway counts reveals, for all services and replicas (takeReveal of api-key).
DROP TABLE "reveals";
