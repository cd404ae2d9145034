/** Written by `node scripts/client.mjs` from the contracts of the services. Do not edit. */
export interface paths {
    "/v1/api-key/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of the tenant with masked values.
         * @description Returns the API keys that match every given filter.
         *
         *     Requires the permission `apikey:ReadKey`.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create an API key.
         * @description The response shows the full value, only this once. The API key has no roles and therefore no permissions until roles are assigned.
         *
         *     The change applies to every request that is sent after the response.
         *
         *     Requires the permission `apikey:CreateKey`.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-key/keys/self": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the API key of the request, with its tenant, roles and permissions.
         * @description Requires a valid credential, and no permission.
         */
        get: operations["readOwnKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-key/keys/{api_key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an API key with its masked value.
         * @description Requires the permission `apikey:ReadKey`.
         */
        get: operations["readKey"];
        put?: never;
        post?: never;
        /**
         * Delete an API key. The next request with its value is rejected.
         * @description The change applies to every request that is sent after the response.
         *
         *     Requires the permission `apikey:DeleteKey`.
         */
        delete: operations["deleteKey"];
        options?: never;
        head?: never;
        /**
         * Update the given fields of an API key.
         * @description The change applies to every request that is sent after the response.
         *
         *     Requires the permission `apikey:UpdateKey`.
         */
        patch: operations["updateKey"];
        trace?: never;
    };
    "/v1/api-key/keys/{api_key_id}/reveal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reveal the full value of an API key.
         * @description Requires the permission `apikey:RevealKey`.
         */
        get: operations["revealKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-key/keys/{api_key_id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace all roles of an API key.
         * @description The change applies to every request that is sent after the response.
         *
         *     Requires the permission `apikey:AssignRoles`.
         */
        put: operations["assignRoles"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-key/keys/{api_key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the value of an API key.
         * @description The response shows the new value. The previous value is accepted during the grace period. A value from an earlier rotation ends now. After a lost response, repeat the request with the same Idempotency-Key.
         *
         *     The change applies to every request that is sent after the response.
         *
         *     Requires the permission `apikey:RotateKey`.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-key/keys/{api_key_id}/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the permissions of an API key, by name.
         * @description Requires the permission `apikey:ReadKey`.
         */
        get: operations["readKeyPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rbac/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the permissions of the platform, by name.
         * @description Requires the permission `rbac:ReadPermission`.
         */
        get: operations["listPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rbac/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the roles of the tenant.
         * @description Requires the permission `rbac:ReadRole`.
         */
        get: operations["listRoles"];
        put?: never;
        /**
         * Create a custom role.
         * @description The role can grant only permissions that the caller has.
         *
         *     The change applies to every request that is sent after the response.
         *
         *     Requires the permission `rbac:CreateRole`.
         */
        post: operations["createRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rbac/roles/{role_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a role.
         * @description Requires the permission `rbac:ReadRole`.
         */
        get: operations["readRole"];
        /**
         * Update the given fields of a custom role.
         * @description The change applies to the next request of every API key and user that has the role.
         *
         *     The change applies to every request that is sent after the response.
         *
         *     Requires the permission `rbac:UpdateRole`.
         */
        put: operations["updateRole"];
        post?: never;
        /**
         * Delete a custom role that is attached to no API key.
         * @description The change applies to every request that is sent after the response.
         *
         *     Requires the permission `rbac:DeleteRole`.
         */
        delete: operations["deleteRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{business_unit_id}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhook subscriptions of a business unit with masked secrets.
         * @description Requires the permission `webhook:ReadSubscription`.
         */
        get: operations["listSubscriptions"];
        put?: never;
        /**
         * Create a webhook subscription.
         * @description With an authentication configuration, requires webhook:RevealAuthInfo unless the host of the destination is among its `hosts`.
         *
         *     Requires the permission `webhook:CreateSubscription`.
         */
        post: operations["createSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{business_unit_id}/webhooks/reveal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reveal the signing secrets of the webhook subscriptions of a business unit.
         * @description Requires the permission `webhook:RevealSecret`.
         */
        get: operations["revealSubscriptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook subscription with its masked secret.
         * @description Requires the permission `webhook:ReadSubscription`.
         */
        get: operations["readSubscription"];
        /**
         * Update the given fields of a webhook subscription.
         * @description Attaching an authentication configuration, or changing the destination of a subscription that has one, requires webhook:RevealAuthInfo unless the host of the destination is among its `hosts`.
         *
         *     Requires the permission `webhook:UpdateSubscription`.
         */
        put: operations["updateSubscription"];
        post?: never;
        /**
         * Delete a webhook subscription and discard its unfinished deliveries.
         * @description Requires the permission `webhook:DeleteSubscription`.
         */
        delete: operations["deleteSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/reveal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reveal the signing secret of a webhook subscription.
         * @description Requires the permission `webhook:RevealSecret`.
         */
        get: operations["revealSubscription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing secret of a webhook subscription.
         * @description During the grace period, deliveries are signed with both secrets. A previous rotation still in its grace period ends now. Reveal the subscription to see the new secret.
         *
         *     Requires the permission `webhook:UpdateSubscription`.
         */
        post: operations["rotateSubscriptionSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a `webhooks.test` event to this subscription, regardless of its event types.
         * @description Requires the permission `webhook:SendTestEvent`.
         */
        post: operations["sendTestEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/auth-info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the authentication configurations of the tenant with masked credentials.
         * @description Requires the permission `webhook:ReadAuthInfo`.
         */
        get: operations["listAuthInfos"];
        put?: never;
        /**
         * Create an authentication configuration for webhook deliveries.
         * @description Requires the permission `webhook:CreateAuthInfo`.
         */
        post: operations["createAuthInfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/auth-info/{webhook_auth_info_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an authentication configuration with masked credentials.
         * @description Requires the permission `webhook:ReadAuthInfo`.
         */
        get: operations["readAuthInfo"];
        /**
         * Update the given fields of an authentication configuration.
         * @description A change of `type` requires a new `config`. To add a host, or to set a `token_url` on a host that is neither the current one nor in `hosts`, requires webhook:RevealAuthInfo.
         *
         *     Requires the permission `webhook:UpdateAuthInfo`.
         */
        put: operations["updateAuthInfo"];
        post?: never;
        /**
         * Delete an authentication configuration that no subscription uses.
         * @description Requires the permission `webhook:DeleteAuthInfo`.
         */
        delete: operations["deleteAuthInfo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/auth-info/{webhook_auth_info_id}/reveal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reveal the credentials of an authentication configuration.
         * @description Requires the permission `webhook:RevealAuthInfo`.
         */
        get: operations["revealAuthInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recover the events that a subscription missed in a time range.
         * @description A task redelivers the failed, dead and held deliveries of the range.
         *
         *     Requires the permission `webhook:RetryDelivery`.
         */
        post: operations["recoverSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/discard-held": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Discard the held deliveries of a subscription.
         * @description A task discards the deliveries for good.
         *
         *     Requires the permission `deadletter:DiscardDeadLetter`.
         */
        post: operations["discardHeldDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{business_unit_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a business unit.
         * @description Requires the permission `webhook:ReadDelivery`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{business_unit_id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery with its attempts.
         * @description Requires the permission `webhook:ReadDelivery`.
         */
        get: operations["readDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{business_unit_id}/deliveries/{delivery_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a delivery with a new schedule.
         * @description A delivered delivery can be retried too. The `tenant_event_id` stays the same.
         *
         *     Requires the permission `webhook:RetryDelivery`.
         */
        post: operations["retryDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{business_unit_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of a business unit and of its whole tenant.
         * @description With `trace_id`, lists the events that one request caused. A new event takes a moment to appear.
         *
         *     Requires the permission `webhook:ReadDelivery`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{business_unit_id}/events/{tenant_event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain, per subscription, why an event was or was not delivered.
         * @description Requires the permission `webhook:ReadDelivery`.
         */
        get: operations["explainEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the event types with their payload schemas and examples, by name.
         * @description Requires the permission `webhook:ReadDelivery`.
         */
        get: operations["listEventTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dead letters, or count them by cause, subscription or event type.
         * @description Dead letters are listed newest first, groups largest first.
         *
         *     Requires the permission `deadletter:ReadDeadLetter`.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/dead-letters/{dead_letter_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a dead letter with its request, response and attempts.
         * @description Requires the permission `deadletter:ReadDeadLetter`.
         */
        get: operations["readDeadLetter"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/dead-letters/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redrive dead letters with a new schedule.
         * @description A task redrives the deliveries. With `dry_run`, the response only counts them.
         *
         *     Requires the permission `deadletter:RedriveDeadLetter`.
         */
        post: operations["redriveDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/dead-letters/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Discard dead letters.
         * @description A task discards the deliveries for good. With `dry_run`, the response only counts them.
         *
         *     Requires the permission `deadletter:DiscardDeadLetter`.
         */
        post: operations["discardDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/dead-letters/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tasks that redrive, discard or recover deliveries.
         * @description Requires the permission `deadletter:ReadDeadLetter`.
         */
        get: operations["listDeadLetterTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/dead-letters/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the progress of a task.
         * @description Requires the permission `deadletter:ReadDeadLetter`.
         */
        get: operations["readDeadLetterTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/dead-letters/tasks/{task_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a running task. The changes that it has made remain.
         * @description Requires the permission `deadletter:RedriveDeadLetter`.
         */
        post: operations["cancelDeadLetterTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-proxy/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List transactions.
         * @description Requires the permission `transaction:ReadTransaction`.
         */
        get: operations["listTransactions"];
        put?: never;
        /**
         * Create a transaction without charging it.
         * @description With `i2p`, the customer is invited to pay, which requires invitetopay:StartTransaction too; with `capture` besides, transaction:CaptureTransaction.
         *
         *     Requires the permission `transaction:CreateTransaction`.
         */
        post: operations["createTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-proxy/transactions/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create and authorize a transaction.
         * @description With `capture`, the amount is captured too, which requires transaction:CaptureTransaction. A 202 means that the outcome is not known yet: read the transaction, or wait for the event.
         *
         *     Requires the permission `transaction:AuthorizeTransaction`.
         */
        post: operations["createAndAuthorizeTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-proxy/transactions/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a transaction with its operations.
         * @description Requires the permission `transaction:ReadTransaction`.
         */
        get: operations["readTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-proxy/transactions/{transaction_id}/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the operations of a transaction.
         * @description Requires the permission `transaction:ReadTransaction`.
         */
        get: operations["listOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-proxy/transactions/{transaction_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Authorize a transaction that was created before.
         * @description With `capture`, the amount is captured too, which requires transaction:CaptureTransaction. A 202 means that the outcome is not known yet: read the transaction, or wait for the event.
         *
         *     Requires the permission `transaction:AuthorizeTransaction`.
         */
        post: operations["completeTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-proxy/transactions/{transaction_id}/capture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Capture an authorized amount, or a part of it.
         * @description A 202 means that the outcome is not known yet: read the transaction, or wait for the event.
         *
         *     Requires the permission `transaction:CaptureTransaction`.
         */
        post: operations["captureTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-proxy/transactions/{transaction_id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release the authorized amount that has not been captured.
         * @description A 202 means that the outcome is not known yet: read the transaction, or wait for the event.
         *
         *     Requires the permission `transaction:VoidTransaction`.
         */
        post: operations["voidTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-proxy/transactions/{transaction_id}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund a captured amount, or a part of it.
         * @description The refund is given by amount or by items, not by both. A 202 means that the outcome is not known yet: read the transaction, or wait for the event.
         *
         *     Requires the permission `transaction:RefundTransaction`.
         */
        post: operations["refundTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-proxy/transactions/{transaction_id}/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query the payment provider for the outcome of a pending or unknown operation.
         * @description Requires the permission `transaction:ReadTransaction`.
         */
        post: operations["syncTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-proxy/i2p/transactions/{transaction_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the invitation to pay of a transaction again.
         * @description Revives an expired invitation for 24 hours. The code of the link stays the same.
         *
         *     Requires the permission `invitetopay:ResendCode`.
         */
        post: operations["resendInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-proxy/sandbox/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the operations in the ledger of the sandbox.
         * @description The sandbox is a payment provider that moves no money. Tests compare its ledger with transactions.
         *
         *     Requires the permission `transaction:ReadTransaction`.
         */
        get: operations["listSandboxOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-proxy/transactions/{transaction_id}/operations/{operation_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the outcome of an operation in review.
         * @description For an operation in the state `needs_review`, after its outcome was looked up at the payment provider. Changes amounts and emits the event like a report of the provider. A repetition with the same outcome changes nothing.
         *
         *     Requires the permission `transaction:ResolveOperation`.
         */
        post: operations["resolveOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business-unit/business-units": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List business units.
         * @description Requires the permission `businessunit:ReadBusinessUnit`.
         */
        get: operations["listBusinessUnits"];
        put?: never;
        /**
         * Create a business unit.
         * @description The unit has no payment orchestrator yet, so it takes no payments yet.
         *
         *     Requires the permission `businessunit:CreateBusinessUnit`.
         */
        post: operations["createBusinessUnit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business-unit/business-units/{business_unit_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a business unit.
         * @description Requires the permission `businessunit:ReadBusinessUnit`.
         */
        get: operations["readBusinessUnit"];
        put?: never;
        post?: never;
        /**
         * Delete a business unit.
         * @description The unit takes no new authorizations. Its transactions can still be read, captured, voided and refunded, and its webhooks still receive their events.
         *
         *     Requires the permission `businessunit:DeleteBusinessUnit`.
         */
        delete: operations["deleteBusinessUnit"];
        options?: never;
        head?: never;
        /**
         * Update the given fields of a business unit.
         * @description `branding` and `communication` are replaced as a whole.
         *
         *     Requires the permission `businessunit:UpdateBusinessUnit`.
         */
        patch: operations["updateBusinessUnit"];
        trace?: never;
    };
    "/v1/business-unit/business-units/{business_unit_id}/payment-orchestrators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the payment orchestrators of a business unit.
         * @description Requires the permission `businessunit:ReadPaymentOrchestrator`.
         */
        get: operations["listPaymentOrchestrators"];
        put?: never;
        /**
         * Create a payment orchestrator.
         * @description A payment orchestrator becomes the default of the unit if no other one is active, whatever `is_default` says.
         *
         *     Requires the permission `businessunit:CreatePaymentOrchestrator`.
         */
        post: operations["createPaymentOrchestrator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business-unit/business-units/{business_unit_id}/payment-orchestrators/{payment_orchestrator_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a payment orchestrator.
         * @description Requires the permission `businessunit:ReadPaymentOrchestrator`.
         */
        get: operations["readPaymentOrchestrator"];
        put?: never;
        post?: never;
        /**
         * Delete a payment orchestrator.
         * @description It takes no new authorizations. The transactions that use it can still be captured, voided and refunded, so its credentials stay stored. Without the default, a unit takes only requests that name a payment orchestrator.
         *
         *     Requires the permission `businessunit:DeletePaymentOrchestrator`.
         */
        delete: operations["deletePaymentOrchestrator"];
        options?: never;
        head?: never;
        /**
         * Update the given fields of a payment orchestrator.
         * @description Connector and mode cannot be changed: create another payment orchestrator instead. `gateway_authentication` replaces all credentials.
         *
         *     Requires the permission `businessunit:UpdatePaymentOrchestrator`.
         */
        patch: operations["updatePaymentOrchestrator"];
        trace?: never;
    };
    "/v1/communication/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List message templates, the built-in ones last.
         * @description Requires the permission `communication:ReadTemplate`.
         */
        get: operations["listTemplates"];
        put?: never;
        /**
         * Create a message template.
         * @description Variables are the only logic: `{{name}}` is replaced by a value. Each variable must be declared.
         *
         *     Requires the permission `communication:CreateTemplate`.
         */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/communication/templates/{template_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a message template.
         * @description Requires the permission `communication:ReadTemplate`.
         */
        get: operations["readTemplate"];
        put?: never;
        post?: never;
        /**
         * Delete a message template.
         * @description Messages that were requested before are still sent.
         *
         *     Requires the permission `communication:DeleteTemplate`.
         */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        /**
         * Change the given fields of a message template, as a new version.
         * @description Messages that were requested before keep the text of the earlier version.
         *
         *     Requires the permission `communication:UpdateTemplate`.
         */
        patch: operations["updateTemplate"];
        trace?: never;
    };
    "/v1/communication/templates/{template_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the last 100 versions of a message template, newest first.
         * @description Requires the permission `communication:ReadTemplate`.
         */
        get: operations["listTemplateVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/communication/templates/{template_id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Render a message template without sending anything.
         * @description Requires the permission `communication:ReadTemplate`.
         */
        post: operations["previewTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/communication/communications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages.
         * @description Requires the permission `communication:ReadCommunication`.
         */
        get: operations["listCommunications"];
        put?: never;
        /**
         * Send a message.
         * @description Either `template_id` with `variables`, or `text`, with `subject` for EMAIL and optionally `html`. The message is sent after the response: `status` is `queued`.
         *
         *     Requires the permission `communication:SendCommunication`.
         */
        post: operations["sendCommunication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/communication/communications/{communication_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a message.
         * @description Requires the permission `communication:ReadCommunication`.
         */
        get: operations["readCommunication"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/communication/outbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages that the provider `outbox` stored instead of sending them.
         * @description In development only. Elsewhere the path does not exist: 404.
         *
         *     Requires the permission `communication:ReadCommunication`.
         */
        get: operations["listOutboxMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invite-to-pay/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List codes.
         * @description Requires the permission `invitetopay:ReadCode`.
         */
        get: operations["listCodes"];
        put?: never;
        /**
         * Create a code and send its link to the payer.
         * @description For a pending transaction (`transaction_id`), or for a new one (`transaction`), which requires transaction:CreateTransaction too. A capture requires transaction:CaptureTransaction, also when the transaction was created with `capture`.
         *
         *     Requires the permission `invitetopay:StartTransaction`.
         */
        post: operations["createCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invite-to-pay/codes/{code_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a code.
         * @description Requires the permission `invitetopay:ReadCode`.
         */
        get: operations["readCode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the given fields of an active code.
         * @description Sends nothing: send the invitation again to reach another recipient. The link stays the same, so an earlier recipient can still use it.
         *
         *     Requires the permission `invitetopay:UpdateCode`.
         */
        patch: operations["updateCode"];
        trace?: never;
    };
    "/v1/invite-to-pay/codes/{code_id}/reveal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reveal the link of a code.
         * @description The code has the link in `url`. The response to the creation of the code has it too.
         *
         *     Requires the permission `invitetopay:RevealCode`.
         */
        get: operations["revealCode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invite-to-pay/codes/{code_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a code, so that its link cannot be paid.
         * @description The transaction stays as it is. A code with a payment in progress is rejected.
         *
         *     Requires the permission `invitetopay:CancelCode`.
         */
        post: operations["cancelCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit records of the tenant.
         * @description A record appears within seconds of its request.
         *
         *     Requires the permission `audit:ReadRecord`.
         */
        get: operations["listRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @enum {string} */
        ActorType: "api_key" | "user" | "operator" | "anonymous";
        AmountExceedsCapturableProblem: components["schemas"]["Problem"] & {
            /**
             * @description Stable name of the problem.
             * @enum {string}
             */
            code: "amount_exceeds_capturable";
            /** @description Amount that can still be captured, in minor units of the currency. */
            amount_capturable: number;
        };
        AmountExceedsRefundableProblem: components["schemas"]["Problem"] & {
            /**
             * @description Stable name of the problem.
             * @enum {string}
             */
            code: "amount_exceeds_refundable";
            /** @description Amount that can still be refunded, in minor units of the currency. */
            amount_refundable: number;
        };
        /** @description A credential for system-to-system calls. */
        ApiKey: {
            /**
             * Format: uuid
             * @description Identifier of the API key.
             */
            id: string;
            /** @description Name of the API key. */
            name: string;
            /** @description Purpose of the API key. */
            description: string;
            /** @description The credential. Full on creation, rotation and reveal; masked otherwise. */
            value: string;
            /** @description Whether the API key is accepted. */
            enabled: boolean;
            /** @description Roles of the API key. They decide its permissions. */
            role_ids: string[];
            /**
             * @description Environment that accepts the API key.
             * @enum {string}
             */
            environment: "dev" | "qa" | "prod";
            /** @description When the API key expires. Null means never. */
            expires_at: string | null;
            /** @description CIDR blocks from which the API key may be used. Null means anywhere. */
            allowed_cidrs: string[] | null;
            /**
             * Format: date-time
             * @description When the API key was created.
             */
            created_at: string;
            /** @description Actor that created the API key. */
            created_by: string;
            /**
             * Format: date-time
             * @description When the API key last changed.
             */
            updated_at: string;
            /** @description When the API key was last used, to the minute. Null before its first use. */
            last_used_at: string | null;
        };
        /** @description Payload of API key events. The value is never part of it. */
        ApiKeyEvent: {
            /**
             * Format: uuid
             * @description Identifier of the API key.
             */
            id: string;
            /** @description Name of the API key. */
            name: string;
            /** @description Purpose of the API key. */
            description: string;
            /** @description Whether the API key is accepted. */
            enabled: boolean;
            /** @description Roles of the API key. They decide its permissions. */
            role_ids: string[];
            /** @description When the API key expires. Null means never. */
            expires_at: string | null;
            /** @description CIDR blocks from which the API key may be used. Null means anywhere. */
            allowed_cidrs: string[] | null;
            /**
             * Format: date-time
             * @description When the API key last changed.
             */
            updated_at: string;
        };
        AssignRolesRequest: {
            /** @description The new set of roles. */
            role_ids: string[];
        };
        /** @enum {string} */
        AuditOutcome: "success" | "denied" | "rejected" | "error";
        /** @description Actor, operation and outcome of a request. One record per request. */
        AuditRecord: {
            /**
             * Format: uuid
             * @description Identifier of the record.
             */
            id: string;
            /**
             * Format: date-time
             * @description When the request arrived.
             */
            occurred_at: string;
            /**
             * Format: uuid
             * @description Trace-ID of the request.
             */
            trace_id: string;
            /** @description Tenant of the caller. Null without a valid credential. */
            tenant_id: string | null;
            /** @description Sender of the request. */
            actor: {
                /** @description Kind of actor. */
                type: components["schemas"]["ActorType"];
                /** @description Identifier of the API key, user or operator. Null without a valid credential. */
                id: string | null;
            };
            /** @description HTTP method. Null when the request could not be parsed. */
            method: string | null;
            /** @description Path without the query. Null when the request could not be parsed. */
            path: string | null;
            /** @description Operation of the endpoint. Null for an unknown path. */
            operation: string | null;
            /** @description Permission that the operation requires. */
            permission: string | null;
            /** @description `success`: 2xx, 3xx. `denied`: 401, 403, 429. `rejected`: other 4xx. `error`: 5xx. */
            outcome: components["schemas"]["AuditOutcome"];
            /** @description HTTP status of the response. */
            status: number;
            /** @description Code of the problem. Null for a success. */
            code: string | null;
            /** @description Address of the caller. */
            ip: string;
            /** @description User-Agent of the request. */
            user_agent: string | null;
            /** @description Duration of the request in milliseconds. */
            duration_ms: number;
            /**
             * @description Whether the client left before its response was complete.
             * @default false
             */
            client_gone: boolean;
            /**
             * @description Number of requests that the record represents. More than 1 only for unauthenticated requests.
             * @default 1
             */
            count: number;
        };
        /** @description How pages and messages for payers look. */
        Branding: {
            /**
             * @description Name that payers see. Default: the name of the unit.
             * @default null
             */
            display_name: string | null;
            /**
             * @description HTTPS URL of a logo.
             * @default null
             */
            logo_url: string | null;
            /**
             * @description Color of buttons, as `#rrggbb`.
             * @default null
             */
            primary_color: string | null;
            /**
             * @description Address that payers can write to.
             * @default null
             */
            support_email: string | null;
        };
        /** @description How pages and messages for payers look. */
        BrandingInput: {
            /**
             * @description Name that payers see. Default: the name of the unit.
             * @default null
             */
            display_name?: string | null;
            /**
             * @description HTTPS URL of a logo.
             * @default null
             */
            logo_url?: string | null;
            /**
             * @description Color of buttons, as `#rrggbb`.
             * @default null
             */
            primary_color?: string | null;
            /**
             * @description Address that payers can write to.
             * @default null
             */
            support_email?: string | null;
        };
        /** @description A part of the tenant that takes payments. */
        BusinessUnit: {
            /**
             * Format: uuid
             * @description Identifier of the business unit.
             */
            id: string;
            /** @description Name of the unit. */
            name: string;
            /** @description IANA name of the time zone of the unit. */
            timezone_name: string;
            /** @description Currency of requests that name none. Null means none. */
            default_currency: string | null;
            branding: components["schemas"]["Branding"];
            communication: components["schemas"]["CommunicationSettings"];
            /** @description A `deleted` unit takes no new resources and no new authorizations. */
            status: components["schemas"]["BusinessUnitStatus"];
            /** @description Grows with each change. Of two events, the one with the higher version is the later. */
            version: number;
            /**
             * Format: date-time
             * @description When the unit was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the unit last changed.
             */
            updated_at: string;
        };
        BusinessUnitEvent: {
            business_unit: components["schemas"]["BusinessUnit"];
        };
        /** @enum {string} */
        BusinessUnitStatus: "active" | "deleted";
        /**
         * @default {
         *       "final_capture": false
         *     }
         */
        CaptureTransactionRequest: {
            /** @description Amount to capture, in minor units of the currency. Default: everything capturable. */
            amount?: number;
            /**
             * @description Whether the remaining authorized amount is released.
             * @default false
             */
            final_capture?: boolean;
        };
        /** @description An invitation to pay one transaction by a link. */
        Code: {
            /**
             * Format: uuid
             * @description Identifier of the code.
             */
            id: string;
            /**
             * @description Kind of the resource.
             * @constant
             */
            object: "invite";
            /**
             * Format: uuid
             * @description Business unit that receives the payment.
             */
            business_unit_id: string;
            /**
             * Format: uuid
             * @description Transaction that the code pays.
             */
            transaction_id: string;
            /** @description `active`: can be paid. `processing`: a payment runs, or its outcome is not known yet. `completed`: paid. */
            status: components["schemas"]["CodeStatus"];
            /** @description Why it is canceled: a request, which may be the deletion of the business unit, the void of the transaction, or too many declined payments. */
            canceled_by: ("request" | "transaction" | "declines") | null;
            /** @description Amount to pay, in minor units of the currency. */
            amount: number;
            /** @description ISO 4217 code of the currency. */
            currency: string;
            /** @description Whether the payment is captured in the same step. */
            capture: boolean;
            /** @description Payer: an email address or a phone number. */
            recipient: string;
            communication_type: components["schemas"]["CommunicationType"];
            /** @description Template of the invitation. Null means the built-in one. */
            template_id: string | null;
            communication_details: components["schemas"]["CommunicationDetails"];
            /**
             * Format: date-time
             * @description When the link expires.
             */
            expires_at: string;
            /** @description When the payer is reminded, if unpaid then. Null means never. */
            reminder_at: string | null;
            /** @description Page that the payer is led to after the payment. */
            return_url: string | null;
            /** @description How often the invitation was sent again. */
            resend_count: number;
            /** @description When the latest invitation was handed to the communication service. */
            last_sent_at: string | null;
            /** @description Latest message about the code: a communication of this id. */
            communication_id: string | null;
            /** @description The latest failure of a message or a payment. Null after a success. */
            last_error: {
                /** @description Problem code, or decline code of a payment. */
                code: string;
                /** @description Cause. */
                detail: string;
            } | null;
            /** @description Grows with each change. Of two events, the one with the higher version is the later. */
            version: number;
            /**
             * Format: date-time
             * @description When the code was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the code last changed.
             */
            updated_at: string;
            /**
             * @description Null: a reveal returns the address of the pay page.
             * @default null
             */
            url: null;
        };
        /** @description Payload of events of codes. */
        CodeEvent: {
            code: components["schemas"]["CodeSnapshot"];
            /** @description The version of the code. */
            version: number;
        };
        /** @description A code without its link. */
        CodeSnapshot: {
            /**
             * Format: uuid
             * @description Identifier of the code.
             */
            id: string;
            /**
             * @description Kind of the resource.
             * @constant
             */
            object: "invite";
            /**
             * Format: uuid
             * @description Business unit that receives the payment.
             */
            business_unit_id: string;
            /**
             * Format: uuid
             * @description Transaction that the code pays.
             */
            transaction_id: string;
            /** @description `active`: can be paid. `processing`: a payment runs, or its outcome is not known yet. `completed`: paid. */
            status: components["schemas"]["CodeStatus"];
            /** @description Why it is canceled: a request, which may be the deletion of the business unit, the void of the transaction, or too many declined payments. */
            canceled_by: ("request" | "transaction" | "declines") | null;
            /** @description Amount to pay, in minor units of the currency. */
            amount: number;
            /** @description ISO 4217 code of the currency. */
            currency: string;
            /** @description Whether the payment is captured in the same step. */
            capture: boolean;
            /** @description Payer: an email address or a phone number. */
            recipient: string;
            communication_type: components["schemas"]["CommunicationType"];
            /** @description Template of the invitation. Null means the built-in one. */
            template_id: string | null;
            communication_details: components["schemas"]["CommunicationDetails"];
            /**
             * Format: date-time
             * @description When the link expires.
             */
            expires_at: string;
            /** @description When the payer is reminded, if unpaid then. Null means never. */
            reminder_at: string | null;
            /** @description Page that the payer is led to after the payment. */
            return_url: string | null;
            /** @description How often the invitation was sent again. */
            resend_count: number;
            /** @description When the latest invitation was handed to the communication service. */
            last_sent_at: string | null;
            /** @description Latest message about the code: a communication of this id. */
            communication_id: string | null;
            /** @description The latest failure of a message or a payment. Null after a success. */
            last_error: {
                /** @description Problem code, or decline code of a payment. */
                code: string;
                /** @description Cause. */
                detail: string;
            } | null;
            /** @description Grows with each change. Of two events, the one with the higher version is the later. */
            version: number;
            /**
             * Format: date-time
             * @description When the code was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the code last changed.
             */
            updated_at: string;
        };
        /** @enum {string} */
        CodeStatus: "active" | "processing" | "completed" | "expired" | "canceled";
        /** @description An invitation to pay one transaction, with its link. */
        CodeWithLink: {
            /**
             * Format: uuid
             * @description Identifier of the code.
             */
            id: string;
            /**
             * @description Kind of the resource.
             * @constant
             */
            object: "invite";
            /**
             * Format: uuid
             * @description Business unit that receives the payment.
             */
            business_unit_id: string;
            /**
             * Format: uuid
             * @description Transaction that the code pays.
             */
            transaction_id: string;
            /** @description `active`: can be paid. `processing`: a payment runs, or its outcome is not known yet. `completed`: paid. */
            status: components["schemas"]["CodeStatus"];
            /** @description Why it is canceled: a request, which may be the deletion of the business unit, the void of the transaction, or too many declined payments. */
            canceled_by: ("request" | "transaction" | "declines") | null;
            /** @description Amount to pay, in minor units of the currency. */
            amount: number;
            /** @description ISO 4217 code of the currency. */
            currency: string;
            /** @description Whether the payment is captured in the same step. */
            capture: boolean;
            /** @description Payer: an email address or a phone number. */
            recipient: string;
            communication_type: components["schemas"]["CommunicationType"];
            /** @description Template of the invitation. Null means the built-in one. */
            template_id: string | null;
            communication_details: components["schemas"]["CommunicationDetails"];
            /**
             * Format: date-time
             * @description When the link expires.
             */
            expires_at: string;
            /** @description When the payer is reminded, if unpaid then. Null means never. */
            reminder_at: string | null;
            /** @description Page that the payer is led to after the payment. */
            return_url: string | null;
            /** @description How often the invitation was sent again. */
            resend_count: number;
            /** @description When the latest invitation was handed to the communication service. */
            last_sent_at: string | null;
            /** @description Latest message about the code: a communication of this id. */
            communication_id: string | null;
            /** @description The latest failure of a message or a payment. Null after a success. */
            last_error: {
                /** @description Problem code, or decline code of a payment. */
                code: string;
                /** @description Cause. */
                detail: string;
            } | null;
            /** @description Grows with each change. Of two events, the one with the higher version is the later. */
            version: number;
            /**
             * Format: date-time
             * @description When the code was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the code last changed.
             */
            updated_at: string;
            /** @description Address of the pay page. A secret: its holder can see the amount and pay. */
            url: string;
        };
        /** @description A message to one recipient. */
        Communication: {
            /**
             * Format: uuid
             * @description Identifier of the communication. Providers get it as message id.
             */
            id: string;
            /**
             * @description Kind of the resource.
             * @constant
             */
            object: "communication";
            /**
             * Format: uuid
             * @description Business unit that sends it.
             */
            business_unit_id: string;
            communication_type: components["schemas"]["CommunicationType"];
            /** @description EMAIL: one address. SMS: a number in E.164, such as +4930123456. */
            recipient: string;
            /** @description Template it was rendered from. Null for text of the request. */
            template_id: string | null;
            /** @description `sent`: a provider has accepted it. `failed`: it is not sent again. */
            status: components["schemas"]["CommunicationStatus"];
            /**
             * @description Provider that delivers it.
             * @enum {string}
             */
            provider: "outbox" | "smtp" | "http";
            /** @description Identifier at the provider, once accepted. */
            provider_message_id: string | null;
            /** @description Why it failed. */
            error: {
                /**
                 * @description `refused`: the provider does not deliver it. `provider_unavailable`: every attempt failed.
                 * @enum {string}
                 */
                code: "refused" | "provider_unavailable";
                /** @description Cause. */
                detail: string;
            } | null;
            /**
             * Format: date-time
             * @description When it was requested.
             */
            created_at: string;
            /** @description When the provider accepted it. */
            sent_at: string | null;
        };
        /** @description Content of messages beyond amount, link and branding. */
        CommunicationDetails: {
            /** @description Name of the payer, as messages and the pay page greet. */
            payer_name?: string;
            /** @description Purpose of the payment, as messages and the pay page show it. */
            description?: string;
            /** @description Values of further variables of your template. */
            variables?: {
                [key: string]: string;
            };
        };
        /** @description Content of messages beyond amount, link and branding. */
        CommunicationDetailsInput: {
            /** @description Name of the payer, as messages and the pay page greet. */
            payer_name?: string;
            /** @description Purpose of the payment, as messages and the pay page show it. */
            description?: string;
            /** @description Values of further variables of your template. */
            variables?: {
                [key: string]: string;
            };
        };
        /** @description Payload of communication events. Without the rendered text. */
        CommunicationEvent: {
            /** @description The communication as it ended. */
            communication: components["schemas"]["Communication"];
        };
        /** @description Sender of the messages of the business unit. */
        CommunicationSettings: {
            /**
             * @description Name of the sender of messages.
             * @default null
             */
            from_name: string | null;
            /**
             * @description Address for replies to messages.
             * @default null
             */
            reply_to: string | null;
        };
        /** @description Sender of the messages of the business unit. */
        CommunicationSettingsInput: {
            /**
             * @description Name of the sender of messages.
             * @default null
             */
            from_name?: string | null;
            /**
             * @description Address for replies to messages.
             * @default null
             */
            reply_to?: string | null;
        };
        /** @enum {string} */
        CommunicationStatus: "queued" | "sent" | "failed";
        /**
         * @description Channel of the message.
         * @enum {string}
         */
        CommunicationType: "EMAIL" | "SMS";
        CompleteTransactionRequest: {
            payment_details: components["schemas"]["PaymentDetails"];
            /** @description Capture in the same step. Default: as set on creation. */
            capture?: boolean;
        };
        CreateAndAuthorizeTransactionRequest: {
            /**
             * Format: uuid
             * @description Business unit that receives the payment.
             */
            business_unit_id: string;
            /** @description Your reference. Unique within the business unit. */
            external_reference?: string;
            /** @description Currency. Default: that of the business unit. */
            currency?: components["schemas"]["Currency"];
            /** @description Amount to pay, in minor units of the currency. May be left out when the items give it; must equal their sum otherwise. */
            amount?: number;
            /**
             * @description Whether the authorization is captured in the same step.
             * @default false
             */
            capture?: boolean;
            /** @description Payment orchestrator and items. */
            transaction?: {
                /**
                 * Format: uuid
                 * @description Payment orchestrator to use. Default: the default one of the business unit.
                 */
                payment_orchestrator_id?: string;
                /** @description Identifier of the merchant at the payment provider. */
                merchant_id?: string;
                /** @description Items of the order. */
                transaction_items?: components["schemas"]["TransactionItemInput"][];
            };
            customer_details?: components["schemas"]["CustomerDetails"];
            /**
             * @description Up to 50 keys of your own, at most 8 KiB in all. Returned as sent.
             * @default {}
             */
            metadata?: {
                [key: string]: string | number | boolean | null;
            };
            payment_details: components["schemas"]["PaymentDetails"];
        };
        CreateAuthInfoRequest: {
            /** @description Display name. */
            name: string;
            /**
             * @description Authentication scheme.
             * @enum {string}
             */
            type: "custom_headers" | "basic" | "api_credential" | "oauth2_client_credentials";
            /** @description The credentials, in the shape of the type. */
            config: {
                /** @description Headers to add, by name. */
                headers: {
                    [key: string]: string;
                };
            } | {
                /** @description User name. */
                username: string;
                /** @description Password. */
                password: string;
            } | {
                /**
                 * @description Where the credential is sent.
                 * @enum {string}
                 */
                location: "header" | "query";
                /** @description Name of the header or query parameter. */
                name: string;
                /** @description The credential. */
                value: string;
                /** @description Text before the credential, verbatim: `Bearer ` with its space. */
                prefix?: string;
            } | {
                /** @description Token endpoint of the authorization server. */
                token_url: string;
                /** @description Client identifier. */
                client_id: string;
                /** @description Client secret. */
                client_secret: string;
                /** @description Scopes to request, separated by spaces. */
                scope?: string;
            };
            /** @description Hosts that the credentials may be sent to: a name means the port 443, `name:8443` another port. Sending them to another host or port, or adding one here, requires webhook:RevealAuthInfo. */
            hosts?: string[];
        };
        CreateBusinessUnitRequest: {
            /**
             * @description Name of the unit. Unique among the active units of the tenant.
             * @example Berlin store
             */
            name: string;
            /**
             * @description IANA name of the time zone of the unit.
             * @example Europe/Berlin
             * @example UTC
             */
            timezone_name: string;
            /**
             * @description Currency of requests that name none. Null means none.
             * @default null
             */
            default_currency?: components["schemas"]["Currency"] | null;
            /** @default {} */
            branding?: components["schemas"]["BrandingInput"];
            /** @default {} */
            communication?: components["schemas"]["CommunicationSettingsInput"];
        };
        CreateCodeRequest: {
            /**
             * Format: uuid
             * @description Transaction to pay.
             */
            transaction_id?: string;
            /** @description Transaction to create and to pay. */
            transaction?: {
                /**
                 * Format: uuid
                 * @description Business unit that receives the payment.
                 */
                business_unit_id: string;
                /** @description Your reference. Unique within the business unit. */
                external_reference?: string;
                /** @description Currency. Default: that of the business unit. */
                currency?: components["schemas"]["Currency"];
                /** @description Amount to pay, in minor units of the currency. May be left out when the items give it; must equal their sum otherwise. */
                amount?: number;
                /**
                 * @description Whether the authorization is captured in the same step.
                 * @default false
                 */
                capture?: boolean;
                /** @description Payment orchestrator and items. */
                transaction?: {
                    /**
                     * Format: uuid
                     * @description Payment orchestrator to use. Default: the default one of the business unit.
                     */
                    payment_orchestrator_id?: string;
                    /** @description Identifier of the merchant at the payment provider. */
                    merchant_id?: string;
                    /** @description Items of the order. */
                    transaction_items?: components["schemas"]["TransactionItemInput"][];
                };
                customer_details?: components["schemas"]["CustomerDetails"];
                /**
                 * @description Up to 50 keys of your own, at most 8 KiB in all. Returned as sent.
                 * @default {}
                 */
                metadata?: {
                    [key: string]: string | number | boolean | null;
                };
            };
            communication_type: components["schemas"]["CommunicationType"];
            /**
             * @description Payer. EMAIL: one address. SMS: a number in E.164, such as +4930123456.
             * @example payer@example.com
             * @example +4930123456
             */
            recipient: string;
            /**
             * Format: uuid
             * @description Template of the invitation. It declares `payment_url`. Default: the built-in one.
             */
            template_id?: string;
            communication_details?: components["schemas"]["CommunicationDetailsInput"];
            /**
             * Format: date-time
             * @description When the link expires: 1 minute to 70 days from now. Default: in 24 hours.
             */
            expires_at?: string;
            /**
             * Format: date-time
             * @description When an unpaid invitation is reminded of, before it expires. Default: never.
             */
            reminder_at?: string;
            /**
             * @description Page that the payer is led to after the payment.
             * @example https://shop.example.com/thanks
             */
            return_url?: string;
            /** @description Whether the payment is captured in the same step. Default: as set on the transaction. */
            capture?: boolean;
        };
        CreateKeyRequest: {
            /** @description Name of the API key. */
            name: string;
            /**
             * @description Purpose of the API key.
             * @default
             */
            description?: string;
            /** @description When the API key expires. Null means never. */
            expires_at?: string | null;
            /** @description CIDR blocks from which the API key may be used. Null means anywhere. */
            allowed_cidrs?: string[] | null;
        };
        CreatePaymentOrchestratorRequest: {
            /** @description Name of the payment orchestrator. */
            name: string;
            /**
             * @description Connector that calls the payment provider.
             * @enum {string}
             */
            payment_gateway: "sandbox" | "http" | "stripe";
            /**
             * @description Whether it moves money. The sandbox has the mode `test` only.
             * @enum {string}
             */
            mode: "test" | "live";
            /**
             * @description Base URL of the API of the provider. Required for `http`; null means that of the connector. A change requires the credentials again.
             * @default null
             */
            gateway_url?: string | null;
            /**
             * @description Page with the provider's card fields, for the pay page to frame, on an origin that the operator of the platform lists for the connector. Another page requires the credentials again.
             * @default null
             */
            iframe_url?: string | null;
            /**
             * @description Endpoint that exchanges a card for a token. The rules of `iframe_url` apply.
             * @default null
             */
            tokenizer_url?: string | null;
            /**
             * @description Credentials at the provider. Write-only: stored encrypted, and never returned.
             * @default {}
             */
            gateway_authentication?: {
                [key: string]: string;
            };
            /**
             * @description Payment methods. Null means all.
             * @default null
             */
            payment_methods?: components["schemas"]["PaymentMethod"][] | null;
            /**
             * @description Currencies. Null means all.
             * @default null
             */
            currencies?: components["schemas"]["Currency"][] | null;
            /**
             * @description Whether requests that name none use this one. The previous default is one no more.
             * @default false
             */
            is_default?: boolean;
            /**
             * @description Only an `active` one takes new authorizations.
             * @default active
             * @enum {string}
             */
            status?: "active" | "inactive";
            /**
             * @description Settings of the connector.
             * @default {}
             */
            settings?: {
                [key: string]: string | number | boolean;
            };
        };
        CreateRoleRequest: {
            /**
             * @description Name of the role. Unique within the tenant.
             * @example Cashier
             * @example Kassa 2
             * @example 会計
             */
            name: string;
            /**
             * @description Purpose of the role.
             * @default
             */
            description?: string;
            /** @description Permissions that the role grants. */
            permissions: components["schemas"]["PermissionName"][];
        };
        CreateSubscriptionRequest: {
            /** @description HTTPS URL that receives the deliveries. Every address of its host name must be public. */
            destination_url: string;
            /**
             * @description Display name.
             * @default null
             */
            label?: string | null;
            /**
             * @description Event types to receive: exact names or `prefix.*`. Null means every type.
             * @default null
             */
            event_types?: components["schemas"]["EventTypePattern"][] | null;
            /** @description Authentication configuration whose credentials the deliveries carry. Null means none. */
            webhook_auth_info_id?: string | null;
            /**
             * @description Whether deliveries are sent. Deliveries of a disabled subscription are held.
             * @default true
             */
            enabled?: boolean;
        };
        CreateTemplateRequest: {
            /** @description Business unit that can use it. Null: all business units of the tenant. */
            business_unit_id?: string | null;
            communication_type: components["schemas"]["CommunicationType"];
            /** @description Name of the template. */
            name: string;
            /**
             * @description Subject of an EMAIL, required there. Null for SMS.
             * @default null
             */
            subject?: string | null;
            /** @description Text. `{{name}}` is replaced by the value of the variable `name`. */
            text: string;
            /**
             * @description HTML part of an EMAIL. Values are HTML-escaped. Scripts, frames and event handlers are rejected. Null: text only.
             * @default null
             */
            html?: string | null;
            /**
             * @description Variables that the template may use.
             * @default []
             */
            variables?: components["schemas"]["TemplateVariableInput"][];
        };
        CreateTransactionRequest: {
            /**
             * Format: uuid
             * @description Business unit that receives the payment.
             */
            business_unit_id: string;
            /** @description Your reference. Unique within the business unit. */
            external_reference?: string;
            /** @description Currency. Default: that of the business unit. */
            currency?: components["schemas"]["Currency"];
            /** @description Amount to pay, in minor units of the currency. May be left out when the items give it; must equal their sum otherwise. */
            amount?: number;
            /**
             * @description Whether the authorization is captured in the same step.
             * @default false
             */
            capture?: boolean;
            /** @description Payment orchestrator and items. */
            transaction?: {
                /**
                 * Format: uuid
                 * @description Payment orchestrator to use. Default: the default one of the business unit.
                 */
                payment_orchestrator_id?: string;
                /** @description Identifier of the merchant at the payment provider. */
                merchant_id?: string;
                /** @description Items of the order. */
                transaction_items?: components["schemas"]["TransactionItemInput"][];
            };
            customer_details?: components["schemas"]["CustomerDetails"];
            /**
             * @description Up to 50 keys of your own, at most 8 KiB in all. Returned as sent.
             * @default {}
             */
            metadata?: {
                [key: string]: string | number | boolean | null;
            };
            /**
             * @description Whether to invite the customer to pay.
             * @default false
             */
            i2p?: boolean;
            /** @description The invitation. Required with `i2p`. */
            invitation?: components["schemas"]["InvitationInput"];
        };
        /**
         * @description ISO 4217 code of a currency in circulation.
         * @example EUR
         * @example USD
         * @example JPY
         * @example KWD
         */
        Currency: string;
        /** @description The customer who pays. */
        CustomerDetails: {
            /** @description Name of the customer. */
            name?: string;
            /**
             * Format: email
             * @description Email address of the customer.
             */
            email?: string;
            /** @description Phone number of the customer. */
            phone?: string;
            /** @description Your identifier of the customer. */
            reference?: string;
        };
        /** @description A delivery whose every attempt failed. */
        DeadLetter: {
            /**
             * Format: uuid
             * @description Identifier of the dead letter: that of its delivery.
             */
            id: string;
            /**
             * Format: uuid
             * @description Business unit of the subscription.
             */
            business_unit_id: string;
            /**
             * Format: uuid
             * @description Subscription that did not receive the delivery.
             */
            subscription_id: string;
            /**
             * Format: uuid
             * @description Event that was not delivered.
             */
            tenant_event_id: string;
            /** @description Type of the event. */
            event_type: string;
            /** @description Destination of the subscription. */
            destination_url: string;
            /** @description Number of attempts made. */
            attempt_count: number;
            /** @description Why the last attempt failed. */
            error_kind: components["schemas"]["DeliveryErrorKind"] | null;
            /** @description HTTP status of the last attempt. Null without a response. */
            status_code: number | null;
            /** @description The failure of the last attempt in words. */
            last_error: string;
            /**
             * Format: date-time
             * @description When the event happened.
             */
            occurred_at: string;
            /**
             * Format: date-time
             * @description When the last attempt failed.
             */
            dead_at: string;
        };
        /** @description Conditions on dead letters. All of them must hold. */
        DeadLetterFilter: {
            /**
             * Format: uuid
             * @description Only dead letters of this business unit.
             */
            business_unit_id?: string;
            /**
             * Format: uuid
             * @description Only dead letters of this subscription.
             */
            subscription_id?: string;
            /** @description Only dead letters whose last attempt failed with this kind. */
            error_kind?: components["schemas"]["DeliveryErrorKind"];
            /** @description Only dead letters whose last attempt got this HTTP status. */
            status_code?: number;
            /** @description Only dead letters of events of this type. */
            event_type?: components["schemas"]["EventType"];
            /**
             * Format: date-time
             * @description Only deliveries that died after this instant.
             */
            dead_after?: string;
            /**
             * Format: date-time
             * @description Only deliveries that died before this instant.
             */
            dead_before?: string;
        };
        /** @description A dead letter with its request, response and attempts. */
        DeadLetterWithAttempts: {
            /**
             * Format: uuid
             * @description Identifier of the dead letter: that of its delivery.
             */
            id: string;
            /**
             * Format: uuid
             * @description Business unit of the subscription.
             */
            business_unit_id: string;
            /**
             * Format: uuid
             * @description Subscription that did not receive the delivery.
             */
            subscription_id: string;
            /**
             * Format: uuid
             * @description Event that was not delivered.
             */
            tenant_event_id: string;
            /** @description Type of the event. */
            event_type: string;
            /** @description Destination of the subscription. */
            destination_url: string;
            /** @description Number of attempts made. */
            attempt_count: number;
            /** @description Why the last attempt failed. */
            error_kind: components["schemas"]["DeliveryErrorKind"] | null;
            /** @description HTTP status of the last attempt. Null without a response. */
            status_code: number | null;
            /** @description The failure of the last attempt in words. */
            last_error: string;
            /**
             * Format: date-time
             * @description When the event happened.
             */
            occurred_at: string;
            /**
             * Format: date-time
             * @description When the last attempt failed.
             */
            dead_at: string;
            /** @description The request of the last attempt. */
            request: {
                /**
                 * @description HTTP method.
                 * @constant
                 */
                method: "POST";
                /** @description Request URL. Credentials are masked. */
                url: string;
                /** @description Request headers. Credentials and the signature are masked. */
                headers: {
                    [key: string]: string;
                };
                /** @description Request body. */
                body: string;
            };
            /** @description The response to the last attempt. Null without a response. */
            response: {
                /** @description HTTP status. */
                status_code: number;
                /** @description First 16 KiB of the response body, as text. */
                body: string | null;
                /** @description Whether the response body was longer than 16 KiB. */
                truncated: boolean;
            } | null;
            /** @description The latest 1000 attempts, oldest first. `attempt_count` counts all of them. */
            attempts: components["schemas"]["DeliveryAttempt"][];
        };
        /** @description One event for one webhook subscription. */
        Delivery: {
            /**
             * Format: uuid
             * @description Identifier of the delivery.
             */
            id: string;
            /**
             * Format: uuid
             * @description Subscription that receives the delivery.
             */
            subscription_id: string;
            /**
             * Format: uuid
             * @description Business unit of the subscription.
             */
            business_unit_id: string;
            /**
             * Format: uuid
             * @description Event that is delivered.
             */
            tenant_event_id: string;
            /** @description Type of the event. */
            event_type: string;
            /** @description State of the delivery. */
            status: components["schemas"]["DeliveryStatus"];
            /** @description Number of attempts made. */
            attempt_count: number;
            /** @description When the next attempt is due. Null when none is scheduled. */
            next_attempt_at: string | null;
            /**
             * Format: uuid
             * @description Trace id of the delivery: the same over all its attempts.
             */
            trace_id: string;
            /** @description Trace id of the request that caused the event. Null after the retention period of the event. */
            source_trace_id: string | null;
            /**
             * Format: date-time
             * @description When the delivery was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the delivery last changed.
             */
            updated_at: string;
        };
        /** @description One HTTP POST of a delivery. */
        DeliveryAttempt: {
            /** @description Number of the attempt, from 1. */
            number: number;
            /**
             * Format: date-time
             * @description When the attempt started.
             */
            started_at: string;
            /** @description Duration of the attempt in milliseconds. */
            duration_ms: number;
            /** @description HTTP status of the response. Null without a response. */
            status_code: number | null;
            /** @description Why the attempt failed. Null for a success. */
            error_kind: components["schemas"]["DeliveryErrorKind"] | null;
            /** @description The failure in words. Null for a success. */
            error_detail: string | null;
            /** @description First 16 KiB of the response body, as text. */
            response_body: string | null;
            /** @description Whether the response body was longer than 16 KiB. */
            response_truncated: boolean;
            /** @description Durations of the steps. A step is null when it was not reached, or when the connection was reused. */
            timings: {
                /** @description Milliseconds from the start of the attempt to the end of the name resolution. */
                dns_ms: number | null;
                /** @description Milliseconds from the start of the attempt to the established connection. */
                connect_ms: number | null;
                /** @description Milliseconds from the start of the attempt to the end of the TLS handshake. */
                tls_ms: number | null;
                /** @description Milliseconds from the start of the attempt to the first byte of the response. */
                first_byte_ms: number | null;
            };
            /** @description When the next attempt is due. Null when none follows. */
            next_attempt_at: string | null;
        };
        /** @enum {string} */
        DeliveryErrorKind: "dns" | "connect" | "tls" | "timeout" | "reset" | "protocol" | "blocked_address" | "redirect" | "status" | "gone" | "auth";
        /** @enum {string} */
        DeliveryStatus: "pending" | "delivering" | "retrying" | "held" | "delivered" | "dead" | "discarded";
        /** @description A delivery with its attempts. */
        DeliveryWithAttempts: {
            /**
             * Format: uuid
             * @description Identifier of the delivery.
             */
            id: string;
            /**
             * Format: uuid
             * @description Subscription that receives the delivery.
             */
            subscription_id: string;
            /**
             * Format: uuid
             * @description Business unit of the subscription.
             */
            business_unit_id: string;
            /**
             * Format: uuid
             * @description Event that is delivered.
             */
            tenant_event_id: string;
            /** @description Type of the event. */
            event_type: string;
            /** @description State of the delivery. */
            status: components["schemas"]["DeliveryStatus"];
            /** @description Number of attempts made. */
            attempt_count: number;
            /** @description When the next attempt is due. Null when none is scheduled. */
            next_attempt_at: string | null;
            /**
             * Format: uuid
             * @description Trace id of the delivery: the same over all its attempts.
             */
            trace_id: string;
            /** @description Trace id of the request that caused the event. Null after the retention period of the event. */
            source_trace_id: string | null;
            /**
             * Format: date-time
             * @description When the delivery was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the delivery last changed.
             */
            updated_at: string;
            /** @description Destination of the subscription. */
            destination_url: string;
            /** @description The latest 1000 attempts, oldest first. `attempt_count` counts all of them. */
            attempts: components["schemas"]["DeliveryAttempt"][];
        };
        DiscardDeadLettersRequest: {
            /** @description Identifiers of dead letters. Unknown ones are skipped. */
            ids?: string[];
            /** @description Selects dead letters instead of `ids`. `{}` selects every dead letter. */
            filter?: components["schemas"]["DeadLetterFilter"];
            /**
             * @description Only count the dead letters; change nothing.
             * @default false
             */
            dry_run?: boolean;
            /** @description Maximum deliveries per second. Default: no limit. */
            rate_per_second?: number;
            /** @description Why the deliveries are discarded. */
            reason: string;
        } & (unknown | unknown);
        DiscardHeldDeliveriesRequest: {
            /** @description Why the deliveries are discarded. */
            reason: string;
        };
        /** @description An event of a business unit, or of its whole tenant. */
        Event: {
            /**
             * Format: uuid
             * @description Identifier of the event.
             */
            tenant_event_id: string;
            /** @description Type of the event. */
            event_type: string;
            /**
             * Format: uuid
             * @description Trace id of the request that caused the event.
             */
            source_trace_id: string;
            /**
             * Format: date-time
             * @description When the event happened.
             */
            occurred_at: string;
            /** @description Business unit of the event. Null for an event of the whole tenant. */
            business_unit_id: string | null;
        };
        /** @description Why an event was or was not delivered, per subscription. */
        EventExplanation: {
            /**
             * Format: uuid
             * @description Identifier of the event.
             */
            tenant_event_id: string;
            /** @description Type of the event. */
            event_type: string;
            /**
             * Format: uuid
             * @description Trace id of the request that caused the event.
             */
            source_trace_id: string;
            /**
             * Format: date-time
             * @description When the event happened.
             */
            occurred_at: string;
            /** @description One entry per subscription of the business unit. */
            subscriptions: {
                /**
                 * Format: uuid
                 * @description Identifier of the subscription.
                 */
                subscription_id: string;
                /**
                 * @description Outcome of the event for this subscription.
                 * @enum {string}
                 */
                outcome: "delivered" | "pending" | "retrying" | "held" | "dead" | "discarded" | "not_matched";
                /** @description The reason in words. */
                reason: string;
                /** @description The delivery. Null when there is none. */
                delivery_id: string | null;
            }[];
        };
        /** @description Name of an event type. */
        EventType: string;
        /** @description Name of an event type, or a prefix with `.*`. */
        EventTypePattern: string;
        /** @description A permission and the roles that grant it. */
        ExplainedPermission: {
            /** @description The permission. */
            permission: components["schemas"]["Permission"];
            /** @description Roles that grant the permission. */
            granted_by: {
                /**
                 * Format: uuid
                 * @description Identifier of the role.
                 */
                role_id: string;
                /** @description Name of the role. */
                role_name: string;
            }[];
        };
        InvalidTransactionStateProblem: components["schemas"]["Problem"] & {
            /**
             * @description Stable name of the problem.
             * @enum {string}
             */
            code: "invalid_transaction_state";
            /** @description Actions that the transaction allows now. */
            allowed_actions: ("complete" | "capture" | "void" | "refund")[];
        };
        /** @description The invitation to pay of a transaction, as it was requested. */
        Invitation: {
            communication_type: components["schemas"]["CommunicationType"];
            /** @description Payer. */
            recipient: string;
            /** @description Template of the invitation. Null means the built-in one. */
            template_id: string | null;
            /** @description Content of messages. */
            communication_details: components["schemas"]["CommunicationDetails"];
            /** @description When the link expires. Null means 24 hours after the creation. */
            expires_at: string | null;
            /** @description When an unpaid invitation is reminded of. Null means never. */
            reminder_at: string | null;
            /** @description Page that the payer is led to after the payment. */
            return_url: string | null;
        };
        /** @description An invitation to pay: recipient, channel and content. */
        InvitationInput: {
            communication_type: components["schemas"]["CommunicationType"];
            /**
             * @description Payer. EMAIL: one address. SMS: a number in E.164, such as +4930123456.
             * @example payer@example.com
             * @example +4930123456
             */
            recipient: string;
            /**
             * Format: uuid
             * @description Template of the invitation. It declares `payment_url`. Default: the built-in one.
             */
            template_id?: string;
            communication_details?: components["schemas"]["CommunicationDetailsInput"];
            /**
             * Format: date-time
             * @description When the link expires: 1 minute to 70 days from now. Default: in 24 hours.
             */
            expires_at?: string;
            /**
             * Format: date-time
             * @description When an unpaid invitation is reminded of, before it expires. Default: never.
             */
            reminder_at?: string;
            /**
             * @description Page that the payer is led to after the payment.
             * @example https://shop.example.com/thanks
             */
            return_url?: string;
        };
        /** @description One step of a transaction at the payment provider. */
        Operation: {
            /**
             * Format: uuid
             * @description Identifier of the operation.
             */
            id: string;
            /** @description Kind of operation. */
            type: components["schemas"]["OperationType"];
            /** @description State of the operation. `pending` and `unknown` are resolved later; `needs_review` has been unknown for 24 hours. A `reversed` refund had succeeded, and the payment provider failed it later. */
            state: components["schemas"]["OperationState"];
            /** @description Amount of the operation, in minor units of the currency. */
            amount: number;
            /** @description Reason that the caller gave, or `authorization_expired`. */
            reason: string | null;
            /** @description Identifier of the operation at the payment provider. */
            provider_reference: string | null;
            /** @description Why the operation failed. Null while it has not failed. */
            error: {
                /** @description Problem code of the failure. */
                code: string;
                /** @description Reason of a decline. */
                decline_code: string | null;
                /** @description Whether the same payment method may succeed later. */
                retryable: boolean;
                /** @description The payment provider's own code. */
                provider_code: string | null;
            } | null;
            /** @description Resolution by a person. Null otherwise. */
            resolution: components["schemas"]["Resolution"] | null;
            /** @description Step of an authorize-and-capture that this operation is. Null otherwise. */
            stage: ("authorize" | "capture") | null;
            /** @description Number of attempts started: to send the operation to the payment provider, or to read its outcome. */
            attempt_count: number;
            /**
             * Format: date-time
             * @description When the operation began.
             */
            created_at: string;
            /** @description When the outcome became known. */
            completed_at: string | null;
        };
        /** @enum {string} */
        OperationState: "in_progress" | "succeeded" | "declined" | "pending" | "not_attempted" | "unknown" | "needs_review" | "reversed";
        /** @enum {string} */
        OperationType: "authorize" | "capture" | "void" | "refund";
        /** @description A message that the provider `outbox` stored instead of sending it. */
        OutboxMessage: {
            /**
             * Format: uuid
             * @description Identifier of the communication.
             */
            id: string;
            /**
             * Format: uuid
             * @description Business unit that sent it.
             */
            business_unit_id: string;
            communication_type: components["schemas"]["CommunicationType"];
            /** @description Display name of the sender. */
            from_name: string;
            /** @description Address for replies. */
            reply_to: string | null;
            /** @description EMAIL: one address. SMS: a number in E.164, such as +4930123456. */
            recipient: string;
            /** @description Rendered subject. Null for SMS. */
            subject: string | null;
            /** @description Rendered text. */
            text: string;
            /** @description Rendered HTML. Null without an HTML part. */
            html: string | null;
            /**
             * Format: date-time
             * @description When the message was stored.
             */
            created_at: string;
        };
        /** @description The API key of the request. */
        OwnApiKey: {
            /**
             * Format: uuid
             * @description Identifier of the API key.
             */
            id: string;
            /** @description Name of the API key. */
            name: string;
            /** @description Purpose of the API key. */
            description: string;
            /** @description The credential. Full on creation, rotation and reveal; masked otherwise. */
            value: string;
            /** @description Whether the API key is accepted. */
            enabled: boolean;
            /** @description Roles of the API key. They decide its permissions. */
            role_ids: string[];
            /**
             * @description Environment that accepts the API key.
             * @enum {string}
             */
            environment: "dev" | "qa" | "prod";
            /** @description When the API key expires. Null means never. */
            expires_at: string | null;
            /** @description CIDR blocks from which the API key may be used. Null means anywhere. */
            allowed_cidrs: string[] | null;
            /**
             * Format: date-time
             * @description When the API key was created.
             */
            created_at: string;
            /** @description Actor that created the API key. */
            created_by: string;
            /**
             * Format: date-time
             * @description When the API key last changed.
             */
            updated_at: string;
            /** @description When the API key was last used, to the minute. Null before its first use. */
            last_used_at: string | null;
            /**
             * Format: uuid
             * @description Tenant of the API key.
             */
            tenant_id: string;
            /** @description Roles of the API key, by name. */
            roles: {
                /**
                 * Format: uuid
                 * @description Identifier of the role.
                 */
                id: string;
                /** @description Name of the role. */
                name: string;
            }[];
            /** @description Permissions that the roles grant, by name. */
            permissions: components["schemas"]["Permission"][];
        };
        OwnKeyProblem: components["schemas"]["Problem"] & {
            /**
             * @description Stable name of the problem.
             * @enum {string}
             */
            code: "own_key";
            /** @description Permissions that the API key would lose. Present where a change of roles or of a role is rejected. */
            lost_permissions?: components["schemas"]["Permission"][];
        };
        PaymentDeclinedProblem: components["schemas"]["Problem"] & {
            /**
             * @description Stable name of the problem.
             * @enum {string}
             */
            code: "payment_declined";
            /**
             * Format: uuid
             * @description Transaction of the operation. It remains, and can be completed with another token.
             */
            transaction_id: string;
            /**
             * Format: uuid
             * @description Operation that failed.
             */
            operation_id: string;
            /** @description Reason of the decline. Null where the provider gave none. */
            decline_code: string | null;
            /** @description Whether the same payment method may succeed later. */
            retryable: boolean;
            /** @description The payment provider's own code. Null where it gave none. */
            provider_code: string | null;
            /**
             * @description Step of an authorization with capture that failed. Absent for other operations.
             * @enum {string}
             */
            stage?: "authorize" | "capture";
        };
        /** @description The payment method, as a token. Card numbers are rejected. */
        PaymentDetails: {
            /** @description Kind of payment method. */
            payment_method: components["schemas"]["PaymentMethod"];
            /** @description Token of the payment method, from the tokenizer of the payment orchestrator. */
            cc_token: string;
        };
        /** @enum {string} */
        PaymentMethod: "CREDIT_CARD" | "ACH";
        /** @description A way to reach one payment provider with one set of credentials. */
        PaymentOrchestrator: {
            /**
             * Format: uuid
             * @description Identifier of the payment orchestrator.
             */
            id: string;
            /**
             * Format: uuid
             * @description Business unit that uses it.
             */
            business_unit_id: string;
            /** @description Name of the payment orchestrator. */
            name: string;
            /**
             * @description Connector that calls the payment provider.
             * @enum {string}
             */
            payment_gateway: "sandbox" | "http" | "stripe";
            /**
             * @description Whether it moves money. The sandbox has the mode `test` only, which cannot be active in production.
             * @enum {string}
             */
            mode: "test" | "live";
            /** @description Base URL of the API of the provider. Null: that of the connector. */
            gateway_url: string | null;
            /** @description Page with the provider's card fields, for the pay page to frame. */
            iframe_url: string | null;
            /** @description Endpoint that exchanges a card for a token. */
            tokenizer_url: string | null;
            /**
             * @description Whether the operator of the platform lists the origins of the two pages. Other pages are named as foreign to payers.
             * @default false
             */
            card_page_trusted: boolean;
            /** @description Changes when the credentials change. Null without credentials. */
            gateway_authentication_fingerprint: string | null;
            /** @description Payment methods that it accepts. Null means all. */
            payment_methods: components["schemas"]["PaymentMethod"][] | null;
            /** @description Currencies that it accepts. Null means all. */
            currencies: string[] | null;
            /** @description Whether requests that name no payment orchestrator use this one. */
            is_default: boolean;
            /** @description Only an `active` one takes new authorizations. */
            status: components["schemas"]["PaymentOrchestratorStatus"];
            /** @description Settings of the connector. */
            settings: {
                [key: string]: unknown;
            };
            /** @description Grows with each change. Of two events, the one with the higher version is the later. */
            version: number;
            /**
             * Format: date-time
             * @description When the payment orchestrator was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the payment orchestrator last changed.
             */
            updated_at: string;
        };
        PaymentOrchestratorEvent: {
            payment_orchestrator: components["schemas"]["PaymentOrchestrator"];
        };
        /** @enum {string} */
        PaymentOrchestratorStatus: "active" | "inactive" | "deleted";
        /** @description Name of a permission. */
        Permission: string;
        /** @description Name of a permission. */
        PermissionName: string;
        PreviewTemplateRequest: {
            /** @description Business unit whose branding a built-in template gets. */
            business_unit_id?: string | null;
            /**
             * @description Values of the variables.
             * @default {}
             */
            variables?: {
                [key: string]: string;
            };
        };
        ProviderUnreachableProblem: components["schemas"]["Problem"] & {
            /**
             * @description Stable name of the problem.
             * @enum {string}
             */
            code: "provider_unreachable";
            /**
             * Format: uuid
             * @description Transaction of the operation. It remains, and can be completed with another token.
             */
            transaction_id: string;
            /**
             * Format: uuid
             * @description Operation that failed.
             */
            operation_id: string;
            /** @description Reason of the decline. Null where the provider gave none. */
            decline_code: string | null;
            /** @description Whether the same payment method may succeed later. */
            retryable: boolean;
            /** @description The payment provider's own code. Null where it gave none. */
            provider_code: string | null;
            /**
             * @description Step of an authorization with capture that failed. Absent for other operations.
             * @enum {string}
             */
            stage?: "authorize" | "capture";
        };
        RecoverSubscriptionRequest: {
            /**
             * Format: date-time
             * @description Start of the time range.
             */
            since: string;
            /**
             * Format: date-time
             * @description End of the time range.
             */
            until: string;
            /**
             * @description Also deliver events that the subscription did not match then and would match now.
             * @default false
             */
            include_unmatched?: boolean;
        };
        RedriveDeadLettersRequest: {
            /** @description Identifiers of dead letters. Unknown ones are skipped. */
            ids?: string[];
            /** @description Selects dead letters instead of `ids`. `{}` selects every dead letter. */
            filter?: components["schemas"]["DeadLetterFilter"];
            /**
             * @description Only count the dead letters; change nothing.
             * @default false
             */
            dry_run?: boolean;
            /** @description Maximum deliveries per second. Default: no limit. */
            rate_per_second?: number;
        } & (unknown | unknown);
        /** @default {} */
        RefundTransactionRequest: {
            /** @description Amount to refund, in minor units of the currency. Default: everything that is refundable. */
            amount?: number;
            /** @description Items to refund, instead of an amount. */
            items?: {
                /** @description Identifier of the item. */
                id: string;
                /** @description Number of units to refund. */
                quantity: number;
            }[];
            /** @description Reason of the refund. */
            reason?: string;
        };
        /** @description The decision of a person about an operation with an unknown outcome. */
        Resolution: {
            /**
             * @description Outcome at the payment provider: `not_attempted` means that the operation had no effect.
             * @enum {string}
             */
            outcome: "succeeded" | "declined" | "not_attempted";
            /** @description Why. */
            note: string;
            /** @description Author of the resolution: `api_key:` or `user:` and an identifier. */
            resolved_by: string;
            /**
             * Format: date-time
             * @description When.
             */
            resolved_at: string;
        };
        ResolveOperationRequest: {
            /**
             * @description Outcome at the payment provider: `not_attempted` means that the operation had no effect.
             * @enum {string}
             */
            outcome: "succeeded" | "declined" | "not_attempted";
            /** @description Why. Stored with the operation. */
            note: string;
        };
        /** @description A set of permissions that API keys and users can have. */
        Role: {
            /**
             * Format: uuid
             * @description Identifier of the role.
             */
            id: string;
            /** @description Name of the role. Unique within the tenant. */
            name: string;
            /** @description Purpose of the role. */
            description: string;
            /**
             * @description Built-in roles cannot be changed.
             * @enum {string}
             */
            kind: "built_in" | "custom";
            /** @description Permissions that the role grants. */
            permissions: components["schemas"]["Permission"][];
            /**
             * Format: date-time
             * @description When the role was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the role last changed.
             */
            updated_at: string;
        };
        /** @description Payload of role events. */
        RoleEvent: {
            /**
             * Format: uuid
             * @description Identifier of the role.
             */
            id: string;
            /** @description Name of the role. Unique within the tenant. */
            name: string;
            /** @description Purpose of the role. */
            description: string;
            /** @description Permissions that the role grants. */
            permissions: components["schemas"]["Permission"][];
            /**
             * Format: date-time
             * @description When the role last changed.
             */
            updated_at: string;
        };
        RoleInUseProblem: components["schemas"]["Problem"] & {
            /**
             * @description Stable name of the problem.
             * @enum {string}
             */
            code: "role_in_use";
            /** @description Number of API keys with the role. */
            key_count: number;
        };
        RotateKeyRequest: {
            /** @description Seconds during which the previous value is still accepted. Default: 0. For the API key of the request, default and least value are 60. */
            grace_period_seconds?: number;
        };
        RotateSubscriptionSecretRequest: {
            /**
             * @description Seconds during which the previous secret also signs.
             * @default 0
             */
            grace_period_seconds?: number;
        };
        /** @description An operation in the ledger of the sandbox. */
        SandboxOperation: {
            /**
             * Format: uuid
             * @description Identifier of the operation.
             */
            id: string;
            /** @description Kind of operation. */
            type: components["schemas"]["OperationType"];
            /**
             * @description `never_received`: a sync arrived before the operation, which is rejected from then on.
             * @enum {string}
             */
            state: "succeeded" | "declined" | "pending" | "never_received";
            /** @description Amount of the operation, in minor units of the currency. */
            amount: number;
            /** @description Amount that a final capture released, in minor units of the currency. */
            amount_released: number;
            /** @description ISO 4217 code of the currency. */
            currency: string;
            /**
             * Format: uuid
             * @description Operation that authorized the payment.
             */
            authorization_id: string;
            /** @description Reason of a decline. */
            decline_code: string | null;
            /**
             * Format: date-time
             * @description When the sandbox received the operation.
             */
            received_at: string;
        };
        SendCommunicationRequest: {
            /**
             * Format: uuid
             * @description Business unit that sends it.
             */
            business_unit_id: string;
            communication_type: components["schemas"]["CommunicationType"];
            /**
             * @description EMAIL: one address. SMS: a number in E.164, such as +4930123456.
             * @example payer@example.com
             * @example +4930123456
             */
            recipient: string;
            /**
             * Format: uuid
             * @description Template to render.
             */
            template_id?: string;
            /** @description Values of the variables of the template. */
            variables?: {
                [key: string]: string;
            };
            /** @description Subject, without a template. EMAIL only. */
            subject?: string;
            /** @description Text, without a template. SMS: at most 1 600 characters. */
            text?: string;
            /** @description HTML part, without a template. EMAIL only. */
            html?: string;
            /**
             * @deprecated
             * @description Another name of `text`. Errors of its value name `text`. Use `text`.
             */
            body?: string;
        };
        /** @description A background task over many deliveries. */
        Task: {
            /**
             * Format: uuid
             * @description Identifier of the task.
             */
            id: string;
            /** @description Kind of the task. */
            kind: components["schemas"]["TaskKind"];
            /** @description State of the task. */
            status: components["schemas"]["TaskStatus"];
            /** @description Number of deliveries that the task selected when it was created. */
            total: number;
            /** @description Number of deliveries that the task has changed. */
            done: number;
        };
        /** @description The task that executes the request. */
        TaskAccepted: {
            /**
             * Format: uuid
             * @description Identifier of the task.
             */
            task_id: string;
        };
        /** @enum {string} */
        TaskKind: "redrive" | "discard" | "recover" | "discard_held";
        /** @enum {string} */
        TaskStatus: "running" | "done" | "canceled" | "failed";
        /** @description Text with variables, from which messages are rendered. */
        Template: {
            /**
             * Format: uuid
             * @description Identifier of the template.
             */
            id: string;
            /**
             * @description Kind of the resource.
             * @constant
             */
            object: "template";
            /**
             * @description Built-in templates cannot be changed.
             * @enum {string}
             */
            kind: "custom" | "built_in";
            /** @description Business unit that can use it. Null: all business units of the tenant. */
            business_unit_id: string | null;
            communication_type: components["schemas"]["CommunicationType"];
            /** @description Grows with each change. */
            version: number;
            /** @description Name of the template. */
            name: string;
            /** @description Subject of an EMAIL. Null for SMS. */
            subject: string | null;
            /** @description Text. */
            text: string;
            /** @description HTML part of an EMAIL. Values are HTML-escaped. Scripts, frames and event handlers are rejected. Null: text only. */
            html: string | null;
            /** @description Variables that the template may use. */
            variables: components["schemas"]["TemplateVariable"][];
            /**
             * Format: date-time
             * @description When the template was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the template last changed.
             */
            updated_at: string;
        };
        /** @description Payload of template events. Without the text of the template. */
        TemplateEvent: {
            /** @description The template after the change, without its text. */
            template: {
                /**
                 * Format: uuid
                 * @description Identifier of the template.
                 */
                id: string;
                /**
                 * @description Kind of the resource.
                 * @constant
                 */
                object: "template";
                /**
                 * @description Built-in templates cannot be changed.
                 * @enum {string}
                 */
                kind: "custom" | "built_in";
                /** @description Business unit that can use it. Null: all business units of the tenant. */
                business_unit_id: string | null;
                communication_type: components["schemas"]["CommunicationType"];
                /** @description Grows with each change. */
                version: number;
                /** @description Name of the template. */
                name: string;
                /**
                 * Format: date-time
                 * @description When the template was created.
                 */
                created_at: string;
                /**
                 * Format: date-time
                 * @description When the template last changed.
                 */
                updated_at: string;
            };
        };
        /** @description A variable that a template uses. */
        TemplateVariable: {
            /** @description Name, written `{{name}}` in the template. */
            name: string;
            /**
             * @description Whether each message must give a value. Otherwise empty by default.
             * @default true
             */
            required: boolean;
            /**
             * @description Meaning of the variable.
             * @default
             */
            description: string;
        };
        /** @description A variable that a template uses. */
        TemplateVariableInput: {
            /** @description Name, written `{{name}}` in the template. */
            name: string;
            /**
             * @description Whether each message must give a value. Otherwise empty by default.
             * @default true
             */
            required?: boolean;
            /**
             * @description Meaning of the variable.
             * @default
             */
            description?: string;
        };
        /** @description A version of a template. */
        TemplateVersion: {
            /**
             * Format: uuid
             * @description Identifier of the template.
             */
            template_id: string;
            /** @description Number of the version, from 1. */
            version: number;
            /** @description Name of the template. */
            name: string;
            /** @description Subject of an EMAIL. Null for SMS. */
            subject: string | null;
            /** @description Text. */
            text: string;
            /** @description HTML part of an EMAIL. Values are HTML-escaped. Scripts, frames and event handlers are rejected. Null: text only. */
            html: string | null;
            /** @description Variables that the template may use. */
            variables: components["schemas"]["TemplateVariable"][];
            /**
             * Format: date-time
             * @description When the version was made.
             */
            created_at: string;
        };
        /** @description A payment and all its operations. */
        Transaction: {
            /**
             * Format: uuid
             * @description Identifier of the transaction.
             */
            id: string;
            /**
             * @description Always `transaction`.
             * @constant
             */
            object: "transaction";
            /**
             * Format: uuid
             * @description Business unit that receives the payment.
             */
            business_unit_id: string;
            /**
             * Format: uuid
             * @description Payment orchestrator in use.
             */
            payment_orchestrator_id: string;
            /** @description Your reference. */
            external_reference: string | null;
            /** @description Status, derived from the operations that succeeded. */
            status: components["schemas"]["TransactionStatus"];
            /** @description ISO 4217 code of the currency. */
            currency: string;
            /** @description Amount to pay, in minor units of the currency. */
            amount: number;
            /** @description Amount authorized, in minor units of the currency. */
            amount_authorized: number;
            /** @description Amount captured, in minor units of the currency. */
            amount_captured: number;
            /** @description Amount refunded, in minor units of the currency. */
            amount_refunded: number;
            /** @description Amount released without capture, in minor units of the currency. */
            amount_voided: number;
            /** @description Amount that can still be captured, in minor units of the currency. */
            amount_capturable: number;
            /** @description Amount that can still be refunded, in minor units of the currency. */
            amount_refundable: number;
            /** @description Whether the authorization is captured in the same step. */
            capture: boolean;
            /** @description Whether the transaction is paid through an invitation to pay. */
            i2p: boolean;
            /** @description The invitation as requested with the transaction. Null otherwise. */
            invitation: components["schemas"]["Invitation"] | null;
            /** @description Payment method of the latest authorization. */
            payment_method: {
                /** @description Kind of payment method. */
                type: string;
                /** @description Card brand. */
                brand: string;
                /** @description Last four digits. */
                last4: string;
            } | null;
            /** @description When the authorization expires and is released. */
            authorization_expires_at: string | null;
            /** @description The operation whose outcome is not known yet. */
            pending_operation: {
                /**
                 * Format: uuid
                 * @description Identifier of the operation.
                 */
                id: string;
                /** @description Kind of operation. */
                type: components["schemas"]["OperationType"];
                /** @description State of the operation. `pending` and `unknown` are resolved later; `needs_review` has been unknown for 24 hours. A `reversed` refund had succeeded, and the payment provider failed it later. */
                state: components["schemas"]["OperationState"];
            } | null;
            /** @description The latest failure. */
            last_error: {
                /** @description Problem code of the failure. */
                code: string;
                /** @description Reason of a decline. */
                decline_code: string | null;
                /**
                 * Format: uuid
                 * @description Operation that failed.
                 */
                operation_id: string;
            } | null;
            /** @description Items of the order. */
            transaction_items: components["schemas"]["TransactionItem"][];
            /** @description The customer who pays. */
            customer_details: {
                [key: string]: unknown;
            } | null;
            /** @description Your own keys, as sent. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Grows with each change. Of two events, the one with the higher version is the later. */
            version: number;
            /**
             * Format: date-time
             * @description When the transaction was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the transaction last changed.
             */
            updated_at: string;
            /** @description All operations, oldest first. */
            operations: components["schemas"]["Operation"][];
        };
        /** @description Payload of transaction events. */
        TransactionEvent: {
            transaction: components["schemas"]["TransactionSnapshot"];
            /** @description The operation that the event is about. Null for a creation. */
            operation: components["schemas"]["Operation"] | null;
            /** @description The version of the transaction. */
            version: number;
        };
        /** @description A line of the order. */
        TransactionItem: {
            /** @description Identifier of the item within the transaction. Refunds by item use it. */
            id?: string;
            /** @description Name of the item. */
            name: string;
            /** @description Price of one unit, in minor units of the currency. */
            unit_amount: number;
            /** @description Number of units. */
            quantity: number;
        };
        /** @description A line of the order. */
        TransactionItemInput: {
            /** @description Identifier of the item within the transaction. Refunds by item use it. */
            id?: string;
            /** @description Name of the item. */
            name: string;
            /** @description Price of one unit, in minor units of the currency. */
            unit_amount: number;
            /** @description Number of units. */
            quantity: number;
        };
        /** @description A transaction without its operations. */
        TransactionSnapshot: {
            /**
             * Format: uuid
             * @description Identifier of the transaction.
             */
            id: string;
            /**
             * @description Always `transaction`.
             * @constant
             */
            object: "transaction";
            /**
             * Format: uuid
             * @description Business unit that receives the payment.
             */
            business_unit_id: string;
            /**
             * Format: uuid
             * @description Payment orchestrator in use.
             */
            payment_orchestrator_id: string;
            /** @description Your reference. */
            external_reference: string | null;
            /** @description Status, derived from the operations that succeeded. */
            status: components["schemas"]["TransactionStatus"];
            /** @description ISO 4217 code of the currency. */
            currency: string;
            /** @description Amount to pay, in minor units of the currency. */
            amount: number;
            /** @description Amount authorized, in minor units of the currency. */
            amount_authorized: number;
            /** @description Amount captured, in minor units of the currency. */
            amount_captured: number;
            /** @description Amount refunded, in minor units of the currency. */
            amount_refunded: number;
            /** @description Amount released without capture, in minor units of the currency. */
            amount_voided: number;
            /** @description Amount that can still be captured, in minor units of the currency. */
            amount_capturable: number;
            /** @description Amount that can still be refunded, in minor units of the currency. */
            amount_refundable: number;
            /** @description Whether the authorization is captured in the same step. */
            capture: boolean;
            /** @description Whether the transaction is paid through an invitation to pay. */
            i2p: boolean;
            /** @description The invitation as requested with the transaction. Null otherwise. */
            invitation: components["schemas"]["Invitation"] | null;
            /** @description Payment method of the latest authorization. */
            payment_method: {
                /** @description Kind of payment method. */
                type: string;
                /** @description Card brand. */
                brand: string;
                /** @description Last four digits. */
                last4: string;
            } | null;
            /** @description When the authorization expires and is released. */
            authorization_expires_at: string | null;
            /** @description The operation whose outcome is not known yet. */
            pending_operation: {
                /**
                 * Format: uuid
                 * @description Identifier of the operation.
                 */
                id: string;
                /** @description Kind of operation. */
                type: components["schemas"]["OperationType"];
                /** @description State of the operation. `pending` and `unknown` are resolved later; `needs_review` has been unknown for 24 hours. A `reversed` refund had succeeded, and the payment provider failed it later. */
                state: components["schemas"]["OperationState"];
            } | null;
            /** @description The latest failure. */
            last_error: {
                /** @description Problem code of the failure. */
                code: string;
                /** @description Reason of a decline. */
                decline_code: string | null;
                /**
                 * Format: uuid
                 * @description Operation that failed.
                 */
                operation_id: string;
            } | null;
            /** @description Items of the order. */
            transaction_items: components["schemas"]["TransactionItem"][];
            /** @description The customer who pays. */
            customer_details: {
                [key: string]: unknown;
            } | null;
            /** @description Your own keys, as sent. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Grows with each change. Of two events, the one with the higher version is the later. */
            version: number;
            /**
             * Format: date-time
             * @description When the transaction was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the transaction last changed.
             */
            updated_at: string;
        };
        /** @enum {string} */
        TransactionStatus: "pending" | "failed" | "authorized" | "partially_captured" | "captured" | "voided" | "partially_refunded" | "refunded";
        UnknownEventTypeProblem: components["schemas"]["Problem"] & {
            /**
             * @description Stable name of the problem.
             * @enum {string}
             */
            code: "unknown_event_type";
            /** @description All event types, by name. */
            known_event_types: string[];
        };
        UpdateAuthInfoRequest: {
            /** @description Display name. */
            name?: string;
            /**
             * @description Authentication scheme.
             * @enum {string}
             */
            type?: "custom_headers" | "basic" | "api_credential" | "oauth2_client_credentials";
            /** @description The credentials, in the shape of the type. */
            config?: {
                /** @description Headers to add, by name. */
                headers: {
                    [key: string]: string;
                };
            } | {
                /** @description User name. */
                username: string;
                /** @description Password. */
                password: string;
            } | {
                /**
                 * @description Where the credential is sent.
                 * @enum {string}
                 */
                location: "header" | "query";
                /** @description Name of the header or query parameter. */
                name: string;
                /** @description The credential. */
                value: string;
                /** @description Text before the credential, verbatim: `Bearer ` with its space. */
                prefix?: string;
            } | {
                /** @description Token endpoint of the authorization server. */
                token_url: string;
                /** @description Client identifier. */
                client_id: string;
                /** @description Client secret. */
                client_secret: string;
                /** @description Scopes to request, separated by spaces. */
                scope?: string;
            };
            /** @description Hosts that the credentials may be sent to: a name means the port 443, `name:8443` another port. Sending them to another host or port, or adding one here, requires webhook:RevealAuthInfo. */
            hosts?: string[];
        };
        UpdateBusinessUnitRequest: {
            /**
             * @description Name of the unit. Unique among the active units of the tenant.
             * @example Berlin store
             */
            name?: string;
            /**
             * @description IANA name of the time zone of the unit.
             * @example Europe/Berlin
             * @example UTC
             */
            timezone_name?: string;
            /** @description Currency of requests that name none. Null means none. */
            default_currency?: components["schemas"]["Currency"] | null;
            branding?: components["schemas"]["BrandingInput"];
            communication?: components["schemas"]["CommunicationSettingsInput"];
        };
        UpdateCodeRequest: {
            /**
             * @description Payer. EMAIL: one address. SMS: a number in E.164, such as +4930123456.
             * @example payer@example.com
             * @example +4930123456
             */
            recipient?: string;
            /**
             * Format: date-time
             * @description When the link expires: 1 minute to 70 days from now. Default: in 24 hours.
             */
            expires_at?: string;
            /** @description When the payer is reminded. Null means never. */
            reminder_at?: string | null;
            /** @description Page after the payment. Null means none. */
            return_url?: string | null;
            /** @description Template. Null means the built-in one. */
            template_id?: string | null;
            communication_details?: components["schemas"]["CommunicationDetailsInput"];
        };
        UpdateKeyRequest: {
            /** @description Name of the API key. */
            name?: string;
            /** @description Purpose of the API key. */
            description?: string;
            /** @description Whether the API key is accepted. */
            enabled?: boolean;
            /** @description When the API key expires. Null means never. */
            expires_at?: string | null;
            /** @description CIDR blocks from which the API key may be used. Null means anywhere. */
            allowed_cidrs?: string[] | null;
        };
        UpdatePaymentOrchestratorRequest: {
            /** @description Name of the payment orchestrator. */
            name?: string;
            /** @description Base URL of the API of the provider. Required for `http`; null means that of the connector. A change requires the credentials again. */
            gateway_url?: string | null;
            /** @description Page with the provider's card fields, for the pay page to frame, on an origin that the operator of the platform lists for the connector. Another page requires the credentials again. */
            iframe_url?: string | null;
            /** @description Endpoint that exchanges a card for a token. The rules of `iframe_url` apply. */
            tokenizer_url?: string | null;
            /** @description Credentials at the provider. Write-only: stored encrypted, and never returned. */
            gateway_authentication?: {
                [key: string]: string;
            };
            /** @description Payment methods. Null means all. */
            payment_methods?: components["schemas"]["PaymentMethod"][] | null;
            /** @description Currencies. Null means all. */
            currencies?: components["schemas"]["Currency"][] | null;
            /** @description Whether requests that name none use this one. The previous default is one no more. */
            is_default?: boolean;
            /**
             * @description Only an `active` one takes new authorizations.
             * @enum {string}
             */
            status?: "active" | "inactive";
            /** @description Settings of the connector. */
            settings?: {
                [key: string]: string | number | boolean;
            };
        };
        UpdateRoleRequest: {
            /**
             * @description Name of the role. Unique within the tenant.
             * @example Cashier
             * @example Kassa 2
             * @example 会計
             */
            name?: string;
            /** @description Purpose of the role. */
            description?: string;
            /** @description Permissions that the role grants. */
            permissions?: components["schemas"]["PermissionName"][];
        };
        UpdateSubscriptionRequest: {
            /** @description HTTPS URL that receives the deliveries. Every address of its host name must be public. */
            destination_url?: string;
            /** @description Display name. */
            label?: string | null;
            /** @description Event types to receive: exact names or `prefix.*`. Null means every type. */
            event_types?: components["schemas"]["EventTypePattern"][] | null;
            /** @description Authentication configuration whose credentials the deliveries carry. Null means none. */
            webhook_auth_info_id?: string | null;
            /** @description Whether deliveries are sent. Deliveries of a disabled subscription are held. */
            enabled?: boolean;
        };
        UpdateTemplateRequest: {
            /** @description Name of the template. */
            name?: string;
            /** @description Subject of an EMAIL, required there. Null for SMS. */
            subject?: string | null;
            /** @description Text. `{{name}}` is replaced by the value of the variable `name`. */
            text?: string;
            /** @description HTML part of an EMAIL. Values are HTML-escaped. Scripts, frames and event handlers are rejected. Null: text only. */
            html?: string | null;
            /** @description Variables that the template may use. */
            variables?: components["schemas"]["TemplateVariableInput"][];
        };
        /** @default {} */
        VoidTransactionRequest: {
            /** @description Reason of the void. */
            reason?: string;
        };
        /** @description Credentials that webhook deliveries carry. */
        WebhookAuthInfo: {
            /**
             * Format: uuid
             * @description Identifier of the authentication configuration.
             */
            id: string;
            /** @description Display name. */
            name: string;
            /**
             * @description Authentication scheme.
             * @enum {string}
             */
            type: "custom_headers" | "basic" | "api_credential" | "oauth2_client_credentials";
            /** @description The credentials. Masked except in a reveal. */
            config: {
                /** @description Headers to add, by name. */
                headers: {
                    [key: string]: string;
                };
            } | {
                /** @description User name. */
                username: string;
                /** @description Password. */
                password: string;
            } | {
                /**
                 * @description Where the credential is sent.
                 * @enum {string}
                 */
                location: "header" | "query";
                /** @description Name of the header or query parameter. */
                name: string;
                /** @description The credential. */
                value: string;
                /** @description Text before the credential. */
                prefix?: string;
            } | {
                /** @description Token endpoint of the authorization server. */
                token_url: string;
                /** @description Client identifier. */
                client_id: string;
                /** @description Client secret. */
                client_secret: string;
                /** @description Scopes to request. */
                scope?: string;
            };
            /** @description Hosts that the credentials may be sent to: a name means the port 443, `name:8443` another port. Sending them to another host or port, or adding one here, requires webhook:RevealAuthInfo. */
            hosts: string[];
            /**
             * Format: date-time
             * @description When the authentication configuration was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the authentication configuration last changed.
             */
            updated_at: string;
        };
        /** @description A destination that receives the events of a business unit. */
        WebhookSubscription: {
            /**
             * Format: uuid
             * @description Identifier of the subscription.
             */
            id: string;
            /**
             * Format: uuid
             * @description Business unit whose events the subscription receives.
             */
            business_unit_id: string;
            /** @description URL that receives the deliveries. */
            destination_url: string;
            /** @description Display name. */
            label: string | null;
            /** @description Event types to receive. Null means every type. */
            event_types: string[] | null;
            /** @description Authentication configuration of the deliveries. */
            webhook_auth_info_id: string | null;
            /** @description Whether deliveries are sent. Deliveries of a disabled subscription are held. */
            enabled: boolean;
            /** @description Signing secret, `whsec_…`. Masked except in a reveal. */
            secret: string;
            /**
             * Format: date-time
             * @description When the subscription was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the subscription last changed.
             */
            updated_at: string;
        };
        WouldExceedOwnPermissionsProblem: components["schemas"]["Problem"] & {
            /**
             * @description Stable name of the problem.
             * @enum {string}
             */
            code: "would_exceed_own_permissions";
            /** @description Permissions that your credential lacks. */
            missing_permissions: components["schemas"]["Permission"][];
        };
        /** @description An RFC 9457 problem document. */
        Problem: {
            /** @description Address of a page that explains the problem: `/problems/<code>`. */
            type: string;
            /** @description Name of the problem, the same for every occurrence. */
            title: string;
            /** @description HTTP status of the response. */
            status: number;
            /** @description Cause of the problem in this request. */
            detail: string;
            /** @description Stable name of the problem. Programs match on this value. */
            code: string;
            /** @description Trace-ID of the request. */
            trace_id: string;
            /** @description The fields that are wrong. */
            errors?: {
                /** @description JSON pointer to the field: `/name`, `/query/limit`, `/headers/Trace-ID`. */
                pointer: string;
                /** @description Error of the field. */
                detail: string;
            }[];
        } & {
            [key: string]: unknown;
        };
        /** @description The body of a webhook delivery. */
        WebhookDelivery: {
            /**
             * Format: uuid
             * @description Trace id of the delivery: the same over all its attempts.
             */
            trace_id: string;
            /**
             * Format: uuid
             * @description Tenant that the event belongs to.
             */
            tenant_id: string;
            /** @description Type of the event. */
            event_type: string;
            /** @description The payload of the event and the business unit of the subscription. */
            metadata: {
                /** @description Content of the event; its shape depends on `event_type`. */
                payload: unknown;
                /**
                 * Format: uuid
                 * @description Business unit of the subscription.
                 */
                business_unit_id: string;
            };
            /**
             * Format: uuid
             * @description Identifier of the event: the same over every retry and redrive.
             */
            tenant_event_id: string;
        };
        /** @description Members of single problems, beside those that every problem has. */
        ProblemMembers: {
            /** @description Amount that can still be captured, in minor units of the currency. */
            amount_capturable?: number;
            /** @description Amount that can still be refunded, in minor units of the currency. */
            amount_refundable?: number;
            /** @description Actions that the transaction allows now. */
            allowed_actions?: ("complete" | "capture" | "void" | "refund")[];
            /** @description Permissions that the API key would lose. Present where a change of roles or of a role is rejected. */
            lost_permissions?: components["schemas"]["Permission"][];
            /**
             * Format: uuid
             * @description Transaction of the operation. It remains, and can be completed with another token.
             */
            transaction_id?: string;
            /**
             * Format: uuid
             * @description Operation that failed.
             */
            operation_id?: string;
            /** @description Reason of the decline. Null where the provider gave none. */
            decline_code?: string | null;
            /** @description Whether the same payment method may succeed later. */
            retryable?: boolean;
            /** @description The payment provider's own code. Null where it gave none. */
            provider_code?: string | null;
            /**
             * @description Step of an authorization with capture that failed. Absent for other operations.
             * @enum {string}
             */
            stage?: "authorize" | "capture";
            /** @description Number of API keys with the role. */
            key_count?: number;
            /** @description All event types, by name. */
            known_event_types?: string[];
            /** @description Permissions that your credential lacks. */
            missing_permissions?: components["schemas"]["Permission"][];
        };
        /** @description Payload of a webhook by event type. */
        WebhookPayloads: {
            /** @description An API key was created. */
            "api-key.keys.create": components["schemas"]["ApiKeyEvent"];
            /** @description An API key was changed, enabled, disabled or rotated. */
            "api-key.keys.update": components["schemas"]["ApiKeyEvent"];
            /** @description An API key was deleted. */
            "api-key.keys.delete": {
                /**
                 * Format: uuid
                 * @description Identifier of the API key.
                 */
                id: string;
                /** @description Name of the API key. */
                name: string;
                /**
                 * Format: date-time
                 * @description When the API key was deleted.
                 */
                deleted_at: string;
            };
            /** @description The roles of an API key were replaced. */
            "api-key.keys.assign-roles": components["schemas"]["ApiKeyEvent"];
            /** @description The value of an API key was revealed. */
            "api-key.keys.reveal": {
                /**
                 * Format: uuid
                 * @description Identifier of the API key.
                 */
                id: string;
                /** @description Name of the API key. */
                name: string;
                /** @description Actor that revealed the value. */
                revealed_by: string;
                /**
                 * Format: date-time
                 * @description When the value was revealed.
                 */
                revealed_at: string;
            };
            /** @description A role was created. */
            "rbac.roles.create": components["schemas"]["RoleEvent"];
            /** @description A role was changed. */
            "rbac.roles.update": components["schemas"]["RoleEvent"];
            /** @description A role was deleted. */
            "rbac.roles.delete": {
                /**
                 * Format: uuid
                 * @description Identifier of the role.
                 */
                id: string;
                /** @description Name of the role. Unique within the tenant. */
                name: string;
                /**
                 * Format: date-time
                 * @description When the role was deleted.
                 */
                deleted_at: string;
            };
            /** @description A test event that a tenant requested. Only the named subscription receives it. */
            "webhooks.test": {
                /**
                 * Format: uuid
                 * @description Subscription that receives the event.
                 */
                subscription_id: string;
                /** @description Text of the test event. */
                message: string;
            };
            /** @description A webhook subscription was disabled because its destination responded with 410. */
            "webhooks.subscriptions.disabled": {
                /**
                 * Format: uuid
                 * @description Identifier of the subscription.
                 */
                id: string;
                /** @description Destination of the subscription. */
                destination_url: string;
                /** @description Display name. */
                label: string | null;
                /**
                 * @description `gone`: the destination responded with 410.
                 * @enum {string}
                 */
                reason: "gone";
                /**
                 * Format: date-time
                 * @description When the subscription was disabled.
                 */
                updated_at: string;
            };
            /** @description A transaction was created. */
            "payment-proxy.transactions.create": components["schemas"]["TransactionEvent"];
            /** @description A transaction was authorized. */
            "payment-proxy.transactions.authorize": components["schemas"]["TransactionEvent"];
            /** @description An authorization was declined or could not be sent. */
            "payment-proxy.transactions.authorize.failed": components["schemas"]["TransactionEvent"];
            /** @description A transaction was authorized and captured in one step. */
            "payment-proxy.transactions.authorize.and.capture": components["schemas"]["TransactionEvent"];
            /** @description An authorization with capture failed. `operation.stage` names the step. */
            "payment-proxy.transactions.authorize.and.capture.failed": components["schemas"]["TransactionEvent"];
            /** @description A transaction was captured, in full or in part. */
            "payment-proxy.transactions.capture": components["schemas"]["TransactionEvent"];
            /** @description A capture was declined or could not be sent. */
            "payment-proxy.transactions.capture.failed": components["schemas"]["TransactionEvent"];
            /** @description An authorization was released. */
            "payment-proxy.transactions.void": components["schemas"]["TransactionEvent"];
            /** @description A void was declined or could not be sent. */
            "payment-proxy.transactions.void.failed": components["schemas"]["TransactionEvent"];
            /** @description A transaction was refunded, in full or in part. */
            "payment-proxy.transactions.refund": components["schemas"]["TransactionEvent"];
            /** @description A refund was declined, could not be sent, or was failed by the provider after it succeeded. */
            "payment-proxy.transactions.refund.failed": components["schemas"]["TransactionEvent"];
            /** @description A business unit was created. */
            "business-unit.business-units.create": components["schemas"]["BusinessUnitEvent"];
            /** @description A business unit was changed. */
            "business-unit.business-units.update": components["schemas"]["BusinessUnitEvent"];
            /** @description A business unit was deleted. */
            "business-unit.business-units.delete": components["schemas"]["BusinessUnitEvent"];
            /** @description A payment orchestrator was created. */
            "business.unit.payment.orchestrator.create": components["schemas"]["PaymentOrchestratorEvent"];
            /** @description A payment orchestrator was changed. */
            "business.unit.payment.orchestrator.update": components["schemas"]["PaymentOrchestratorEvent"];
            /** @description A payment orchestrator was deleted. */
            "business.unit.payment.orchestrator.delete": components["schemas"]["PaymentOrchestratorEvent"];
            /** @description A message template was created. */
            "communication.templates.create": components["schemas"]["TemplateEvent"];
            /** @description A message template was changed: it has a new version. */
            "communication.templates.update": components["schemas"]["TemplateEvent"];
            /** @description A message template was deleted. */
            "communication.templates.delete": components["schemas"]["TemplateEvent"];
            /** @description A provider accepted a message. */
            "communication.communications.send": components["schemas"]["CommunicationEvent"];
            /** @description A message failed: refused by the provider, or the provider was not available in time. */
            "communication.communications.send.failed": components["schemas"]["CommunicationEvent"];
            /** @description An invitation to pay was created. */
            "invite-to-pay.codes.create": components["schemas"]["CodeEvent"];
            /** @description An invitation to pay was changed, is being paid, was completed or declined, or expired. */
            "invite-to-pay.codes.update": components["schemas"]["CodeEvent"];
            /** @description An invitation to pay was canceled. */
            "invite-to-pay.codes.cancel": components["schemas"]["CodeEvent"];
            /** @description An invitation to pay was sent again. */
            "payment-proxy.i2p.resend": components["schemas"]["CodeEvent"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listKeys: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description The whole name, case-sensitive. */
                name?: string;
                /** @description A role of the API key. */
                role_id?: string;
                /** @description Whether the API key is accepted. */
                enabled?: "true" | "false";
                /** @description Last used before this instant, or never used and created before it. */
                unused_since?: string;
                /** @description Expires before this instant, or has expired. */
                expires_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["ApiKey"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Checkout backend",
                 *       "description": "Creates and captures payments"
                 *     }
                 */
                "application/json": components["schemas"]["CreateKeyRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    readOwnKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnApiKey"];
                };
            };
        };
    };
    readKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the API key. */
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    deleteKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the API key. */
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the API key. */
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/json": components["schemas"]["UpdateKeyRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    revealKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the API key. */
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    assignRoles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the API key. */
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role_ids": [
                 *         "0191e4a2-0000-7d11-8c55-91b6e0a7c010"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AssignRolesRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the API key. */
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grace_period_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["RotateKeyRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    readKeyPermissions: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description Whether each permission names the roles that grant it. */
                explain?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description Identifier of the API key. */
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Names, or with `explain` the names and the roles that grant them. */
                        data: components["schemas"]["Permission"][] | components["schemas"]["ExplainedPermission"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    listPermissions: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: {
                            /** @description Name of the permission. */
                            name: components["schemas"]["Permission"];
                            /** @description Operations that the permission allows. */
                            description: string;
                        }[];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    listRoles: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Role"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createRole: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Refunds",
                 *       "permissions": [
                 *         "transaction:ReadTransaction",
                 *         "transaction:RefundTransaction"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateRoleRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    readRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the role. */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    updateRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the role. */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "permissions": [
                 *         "transaction:ReadTransaction"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdateRoleRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    deleteRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the role. */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listSubscriptions: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["WebhookSubscription"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "destination_url": "https://example.com/webhooks/payments",
                 *       "label": "Ledger",
                 *       "event_types": [
                 *         "payment-proxy.transactions.*"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateSubscriptionRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    revealSubscriptions: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["WebhookSubscription"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    readSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the webhook subscription. */
                bu_webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    updateSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the webhook subscription. */
                bu_webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_types": [
                 *         "payment-proxy.transactions.*",
                 *         "api-key.keys.*"
                 *       ],
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateSubscriptionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    deleteSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the webhook subscription. */
                bu_webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    revealSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the webhook subscription. */
                bu_webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    rotateSubscriptionSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the webhook subscription. */
                bu_webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grace_period_seconds": 86400
                 *     }
                 */
                "application/json": components["schemas"]["RotateSubscriptionSecretRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    sendTestEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the webhook subscription. */
                bu_webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description Identifier of the test event.
                         */
                        tenant_event_id: string;
                    };
                };
            };
        };
    };
    listAuthInfos: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["WebhookAuthInfo"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createAuthInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ledger",
                 *       "type": "custom_headers",
                 *       "config": {
                 *         "headers": {
                 *           "X-Api-Key": "k-4711"
                 *         }
                 *       },
                 *       "hosts": [
                 *         "hooks.example.com"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateAuthInfoRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookAuthInfo"];
                };
            };
        };
    };
    readAuthInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the authentication configuration. */
                webhook_auth_info_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookAuthInfo"];
                };
            };
        };
    };
    updateAuthInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the authentication configuration. */
                webhook_auth_info_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ledger"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateAuthInfoRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookAuthInfo"];
                };
            };
        };
    };
    deleteAuthInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the authentication configuration. */
                webhook_auth_info_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    revealAuthInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the authentication configuration. */
                webhook_auth_info_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookAuthInfo"];
                };
            };
        };
    };
    recoverSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the webhook subscription. */
                bu_webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-01-01T00:00:00Z",
                 *       "until": "2026-01-02T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["RecoverSubscriptionRequest"];
            };
        };
        responses: {
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskAccepted"];
                };
            };
        };
    };
    discardHeldDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the webhook subscription. */
                bu_webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The endpoint was retired"
                 *     }
                 */
                "application/json": components["schemas"]["DiscardHeldDeliveriesRequest"];
            };
        };
        responses: {
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskAccepted"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description Only deliveries of this subscription. */
                subscription_id?: string;
                /** @description Only deliveries in this state. */
                status?: components["schemas"]["DeliveryStatus"];
                /** @description Only deliveries of events of this type. */
                event_type?: components["schemas"]["EventType"];
                /** @description Only deliveries created after this instant. */
                created_after?: string;
                /** @description Only deliveries created before this instant. */
                created_before?: string;
            };
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Delivery"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    readDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the delivery. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryWithAttempts"];
                };
            };
        };
    };
    retryDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the delivery. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description Only events that the request with this Trace-ID caused. */
                trace_id?: string;
                /** @description Only events of this type. */
                event_type?: components["schemas"]["EventType"];
                /** @description Only events that happened after this instant. */
                created_after?: string;
                /** @description Only events that happened before this instant. */
                created_before?: string;
            };
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Event"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    explainEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the event. */
                tenant_event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventExplanation"];
                };
            };
        };
    };
    listEventTypes: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: {
                            /** @description Name of the event type. */
                            name: string;
                            /** @description When the event is emitted. */
                            description: string;
                            /** @description JSON Schema of `metadata.payload`. */
                            payload_schema: {
                                [key: string]: unknown;
                            };
                            /** @description Example of `metadata.payload`. Null for a type without an example. */
                            example: {
                                [key: string]: unknown;
                            } | null;
                        }[];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description Only dead letters of this business unit. */
                business_unit_id?: string;
                /** @description Only dead letters of this subscription. */
                subscription_id?: string;
                /** @description Only dead letters whose last attempt failed with this kind. */
                error_kind?: components["schemas"]["DeliveryErrorKind"];
                /** @description Only dead letters whose last attempt got this HTTP status. */
                status_code?: number;
                /** @description Only dead letters of events of this type. */
                event_type?: components["schemas"]["EventType"];
                /** @description Only deliveries that died after this instant. */
                dead_after?: string;
                /** @description Only deliveries that died before this instant. */
                dead_before?: string;
                /** @description Count per cause, subscription or event type. */
                group_by?: "cause" | "subscription" | "event_type";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["DeadLetter"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    } | {
                        /** @description Items of the page. */
                        data: {
                            /** @description Value of the group. A cause is the error kind of the last attempt: `timeout`, `status:500`. */
                            key: string;
                            /** @description Number of dead letters in the group. */
                            count: number;
                            /**
                             * Format: date-time
                             * @description When the first delivery of the group died.
                             */
                            oldest_at: string;
                            /**
                             * Format: date-time
                             * @description When the last delivery of the group died.
                             */
                            newest_at: string;
                        }[];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    readDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the dead letter. */
                dead_letter_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetterWithAttempts"];
                };
            };
        };
    };
    redriveDeadLetters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "error_kind": "timeout"
                 *       },
                 *       "dry_run": true
                 *     }
                 */
                "application/json": components["schemas"]["RedriveDeadLettersRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of dead letters selected. */
                        count: number;
                    };
                };
            };
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskAccepted"];
                };
            };
        };
    };
    discardDeadLetters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {},
                 *       "reason": "The endpoint was retired"
                 *     }
                 */
                "application/json": components["schemas"]["DiscardDeadLettersRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of dead letters selected. */
                        count: number;
                    };
                };
            };
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskAccepted"];
                };
            };
        };
    };
    listDeadLetterTasks: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Task"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    readDeadLetterTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
        };
    };
    cancelDeadLetterTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description Only transactions with this status. */
                status?: components["schemas"]["TransactionStatus"];
                /** @description Only transactions of this business unit. */
                business_unit_id?: string;
                /** @description Only the transaction with this reference. */
                external_reference?: string;
                /** @description Only transactions of this payment orchestrator. */
                payment_orchestrator_id?: string;
                /** @description Only transactions created after this instant. */
                created_after?: string;
                /** @description Only transactions created before this instant. */
                created_before?: string;
                /** @description Only transactions of this amount or more, in minor units of the currency. */
                amount_min?: number;
                /** @description Only transactions of this amount or less, in minor units of the currency. */
                amount_max?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Transaction"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "business_unit_id": "0191e4a2-0000-7d11-8c55-91b6e0a7c002",
                 *       "external_reference": "order-4711",
                 *       "currency": "EUR",
                 *       "transaction": {
                 *         "transaction_items": [
                 *           {
                 *             "name": "Coffee beans, 1 kg",
                 *             "unit_amount": 1999,
                 *             "quantity": 2
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateTransactionRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    createAndAuthorizeTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "business_unit_id": "0191e4a2-0000-7d11-8c55-91b6e0a7c002",
                 *       "external_reference": "order-4711",
                 *       "currency": "EUR",
                 *       "transaction": {
                 *         "transaction_items": [
                 *           {
                 *             "name": "Coffee beans, 1 kg",
                 *             "unit_amount": 1999,
                 *             "quantity": 2
                 *           }
                 *         ]
                 *       },
                 *       "payment_details": {
                 *         "payment_method": "CREDIT_CARD",
                 *         "cc_token": "tok_sandbox_visa"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateAndAuthorizeTransactionRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    readTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the transaction. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    listOperations: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Identifier of the transaction. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Operation"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    completeTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the transaction. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "payment_details": {
                 *         "payment_method": "CREDIT_CARD",
                 *         "cc_token": "tok_sandbox_visa"
                 *       },
                 *       "capture": true
                 *     }
                 */
                "application/json": components["schemas"]["CompleteTransactionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    captureTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the transaction. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "amount": 1999,
                 *       "final_capture": true
                 *     }
                 */
                "application/json": components["schemas"]["CaptureTransactionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    voidTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the transaction. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VoidTransactionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    refundTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the transaction. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "amount": 500,
                 *       "reason": "One item was damaged"
                 *     }
                 */
                "application/json": components["schemas"]["RefundTransactionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    syncTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the transaction. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    resendInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the transaction. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    listSandboxOperations: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description Only operations of this business unit. */
                business_unit_id?: string;
                /** @description Only operations of this transaction. */
                transaction_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["SandboxOperation"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    resolveOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the transaction. */
                transaction_id: string;
                /** @description Identifier of the operation. */
                operation_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "outcome": "succeeded",
                 *       "note": "Found in the settlement report of 21 November"
                 *     }
                 */
                "application/json": components["schemas"]["ResolveOperationRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    listBusinessUnits: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description Only units with this status. */
                status?: components["schemas"]["BusinessUnitStatus"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["BusinessUnit"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createBusinessUnit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Berlin store",
                 *       "timezone_name": "Europe/Berlin",
                 *       "default_currency": "EUR"
                 *     }
                 */
                "application/json": components["schemas"]["CreateBusinessUnitRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BusinessUnit"];
                };
            };
        };
    };
    readBusinessUnit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BusinessUnit"];
                };
            };
        };
    };
    deleteBusinessUnit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateBusinessUnit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "default_currency": "EUR"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateBusinessUnitRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BusinessUnit"];
                };
            };
        };
    };
    listPaymentOrchestrators: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description Only payment orchestrators with this status. */
                status?: components["schemas"]["PaymentOrchestratorStatus"];
            };
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["PaymentOrchestrator"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createPaymentOrchestrator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Sandbox",
                 *       "payment_gateway": "sandbox",
                 *       "mode": "test"
                 *     }
                 */
                "application/json": components["schemas"]["CreatePaymentOrchestratorRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentOrchestrator"];
                };
            };
        };
    };
    readPaymentOrchestrator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the payment orchestrator. */
                payment_orchestrator_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentOrchestrator"];
                };
            };
        };
    };
    deletePaymentOrchestrator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the payment orchestrator. */
                payment_orchestrator_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updatePaymentOrchestrator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the business unit. */
                business_unit_id: string;
                /** @description Identifier of the payment orchestrator. */
                payment_orchestrator_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "inactive"
                 *     }
                 */
                "application/json": components["schemas"]["UpdatePaymentOrchestratorRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentOrchestrator"];
                };
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description Only templates that this business unit can use. */
                business_unit_id?: string;
                /** @description Only templates for this channel. */
                communication_type?: components["schemas"]["CommunicationType"];
                /** @description Only templates of this kind. */
                kind?: "custom" | "built_in";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Template"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Order shipped",
                 *       "communication_type": "EMAIL",
                 *       "subject": "Your order {{order}}",
                 *       "text": "Dear {{name}}, your order {{order}} was shipped.",
                 *       "html": "<p>Dear {{name}}, your order <b>{{order}}</b> was shipped.</p>",
                 *       "variables": [
                 *         {
                 *           "name": "name"
                 *         },
                 *         {
                 *           "name": "order"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateTemplateRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    readTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the template. */
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the template. */
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the template. */
                template_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Dear {{name}}, your order {{order}} is on its way."
                 *     }
                 */
                "application/json": components["schemas"]["UpdateTemplateRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    listTemplateVersions: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Identifier of the template. */
                template_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["TemplateVersion"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    previewTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the template. */
                template_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "variables": {
                 *         "name": "Ada",
                 *         "order": "42"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PreviewTemplateRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Rendered subject. Null for SMS. */
                        subject: string | null;
                        /** @description Rendered text. */
                        text: string;
                        /** @description Rendered HTML. Null without an HTML part. */
                        html: string | null;
                    };
                };
            };
        };
    };
    listCommunications: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description Only messages of this business unit. */
                business_unit_id?: string;
                /** @description Only messages to this recipient. */
                recipient?: string;
                /** @description Only messages with this status. */
                status?: components["schemas"]["CommunicationStatus"];
                /** @description Only messages rendered from this template. */
                template_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Communication"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    sendCommunication: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "business_unit_id": "0191e4a2-0000-7d11-8c55-91b6e0a7c002",
                 *       "communication_type": "EMAIL",
                 *       "recipient": "payer@example.com",
                 *       "template_id": "0191e4a2-0000-7d11-8c55-91b6e0a7c031",
                 *       "variables": {
                 *         "name": "Ada"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SendCommunicationRequest"];
            };
        };
        responses: {
            /** @description The request was accepted. The outcome is not known yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Communication"];
                };
            };
        };
    };
    readCommunication: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the communication. */
                communication_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Communication"];
                };
            };
        };
    };
    listOutboxMessages: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description Only messages to this recipient. */
                recipient?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["OutboxMessage"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    listCodes: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description Only codes of this business unit. */
                business_unit_id?: string;
                /** @description Only the code of this transaction. */
                transaction_id?: string;
                /** @description Only codes for this recipient. */
                recipient?: string;
                /** @description Only codes with this status. */
                status?: components["schemas"]["CodeStatus"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Code"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "transaction": {
                 *         "business_unit_id": "0191e4a2-0000-7d11-8c55-91b6e0a7c002",
                 *         "currency": "EUR",
                 *         "transaction": {
                 *           "transaction_items": [
                 *             {
                 *               "name": "Coffee beans, 1 kg",
                 *               "unit_amount": 1999,
                 *               "quantity": 2
                 *             }
                 *           ]
                 *         }
                 *       },
                 *       "communication_type": "EMAIL",
                 *       "recipient": "payer@example.com",
                 *       "capture": true
                 *     }
                 */
                "application/json": components["schemas"]["CreateCodeRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeWithLink"];
                };
            };
        };
    };
    readCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the code. */
                code_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Code"];
                };
            };
        };
    };
    updateCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the code. */
                code_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expires_at": "2026-12-24T18:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateCodeRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Code"];
                };
            };
        };
    };
    revealCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the code. */
                code_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeWithLink"];
                };
            };
        };
    };
    cancelCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the code. */
                code_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Code"];
                };
            };
        };
    };
    listRecords: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. Default: the first page. */
                cursor?: string;
                /** @description Only records of this kind of actor. */
                actor_type?: components["schemas"]["ActorType"];
                /** @description Only records of this actor. */
                actor_id?: string;
                /** @description Only records of this operation. */
                operation?: string;
                /** @description Only records with this outcome. */
                outcome?: components["schemas"]["AuditOutcome"];
                /** @description Only records with this HTTP status. */
                status?: number;
                /** @description Only the records of this Trace-ID. */
                trace_id?: string;
                /** @description Only requests that arrived after this instant. */
                occurred_after?: string;
                /** @description Only requests that arrived before this instant. */
                occurred_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["AuditRecord"][];
                        /** @description `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
}
