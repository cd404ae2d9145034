/** Written by `node scripts/client.mjs` from the contracts of the services. Do not edit. */

export const operations = {
  /**
   * Create an API key.
   *
   * The response shows the full value, only this once. The API key has no roles and therefore no permissions until roles are assigned.
   *
   * The change applies to every request that is sent after the response.
   *
   * Requires the permission `apikey:CreateKey`.
   */
  createKey: { method: 'POST', path: '/v1/api-key/keys', idempotencyKey: true, list: false },
  /**
   * List the API keys of the tenant with masked values.
   *
   * Returns the API keys that match every given filter.
   *
   * Requires the permission `apikey:ReadKey`.
   */
  listKeys: { method: 'GET', path: '/v1/api-key/keys', idempotencyKey: false, list: true },
  /**
   * Read the API key of the request, with its tenant, roles and permissions.
   *
   * Requires a valid credential, and no permission.
   */
  readOwnKey: { method: 'GET', path: '/v1/api-key/keys/self', idempotencyKey: false, list: false },
  /**
   * Read an API key with its masked value.
   *
   * Requires the permission `apikey:ReadKey`.
   */
  readKey: { method: 'GET', path: '/v1/api-key/keys/{api_key_id}', idempotencyKey: false, list: false },
  /**
   * Update the given fields of an API key.
   *
   * The change applies to every request that is sent after the response.
   *
   * Requires the permission `apikey:UpdateKey`.
   */
  updateKey: { method: 'PATCH', path: '/v1/api-key/keys/{api_key_id}', idempotencyKey: false, list: false },
  /**
   * Delete an API key. The next request with its value is rejected.
   *
   * The change applies to every request that is sent after the response.
   *
   * Requires the permission `apikey:DeleteKey`.
   */
  deleteKey: { method: 'DELETE', path: '/v1/api-key/keys/{api_key_id}', idempotencyKey: false, list: false },
  /**
   * Reveal the full value of an API key.
   *
   * Requires the permission `apikey:RevealKey`.
   */
  revealKey: { method: 'GET', path: '/v1/api-key/keys/{api_key_id}/reveal', idempotencyKey: false, list: false },
  /**
   * Replace all roles of an API key.
   *
   * The change applies to every request that is sent after the response.
   *
   * Requires the permission `apikey:AssignRoles`.
   */
  assignRoles: { method: 'PUT', path: '/v1/api-key/keys/{api_key_id}/roles', idempotencyKey: false, list: false },
  /**
   * Rotate the value of an API key.
   *
   * The response shows the new value. The previous value is accepted during the grace period. A value from an earlier rotation ends now. After a lost response, repeat the request with the same Idempotency-Key.
   *
   * The change applies to every request that is sent after the response.
   *
   * Requires the permission `apikey:RotateKey`.
   */
  rotateKey: { method: 'POST', path: '/v1/api-key/keys/{api_key_id}/rotate', idempotencyKey: true, list: false },
  /**
   * List the permissions of an API key, by name.
   *
   * Requires the permission `apikey:ReadKey`.
   */
  readKeyPermissions: { method: 'GET', path: '/v1/api-key/keys/{api_key_id}/permissions', idempotencyKey: false, list: true },
  /**
   * List the permissions of the platform, by name.
   *
   * Requires the permission `rbac:ReadPermission`.
   */
  listPermissions: { method: 'GET', path: '/v1/rbac/permissions', idempotencyKey: false, list: true },
  /**
   * List the roles of the tenant.
   *
   * Requires the permission `rbac:ReadRole`.
   */
  listRoles: { method: 'GET', path: '/v1/rbac/roles', idempotencyKey: false, list: true },
  /**
   * Create a custom role.
   *
   * The role can grant only permissions that the caller has.
   *
   * The change applies to every request that is sent after the response.
   *
   * Requires the permission `rbac:CreateRole`.
   */
  createRole: { method: 'POST', path: '/v1/rbac/roles', idempotencyKey: true, list: false },
  /**
   * Read a role.
   *
   * Requires the permission `rbac:ReadRole`.
   */
  readRole: { method: 'GET', path: '/v1/rbac/roles/{role_id}', idempotencyKey: false, list: false },
  /**
   * Update the given fields of a custom role.
   *
   * The change applies to the next request of every API key and user that has the role.
   *
   * The change applies to every request that is sent after the response.
   *
   * Requires the permission `rbac:UpdateRole`.
   */
  updateRole: { method: 'PUT', path: '/v1/rbac/roles/{role_id}', idempotencyKey: false, list: false },
  /**
   * Delete a custom role that is attached to no API key.
   *
   * The change applies to every request that is sent after the response.
   *
   * Requires the permission `rbac:DeleteRole`.
   */
  deleteRole: { method: 'DELETE', path: '/v1/rbac/roles/{role_id}', idempotencyKey: false, list: false },
  /**
   * Create a webhook subscription.
   *
   * With an authentication configuration, requires webhook:RevealAuthInfo unless the host of the destination is among its `hosts`.
   *
   * Requires the permission `webhook:CreateSubscription`.
   */
  createSubscription: { method: 'POST', path: '/v1/webhooks/{business_unit_id}/webhooks', idempotencyKey: true, list: false },
  /**
   * List the webhook subscriptions of a business unit with masked secrets.
   *
   * Requires the permission `webhook:ReadSubscription`.
   */
  listSubscriptions: { method: 'GET', path: '/v1/webhooks/{business_unit_id}/webhooks', idempotencyKey: false, list: true },
  /**
   * Reveal the signing secrets of the webhook subscriptions of a business unit.
   *
   * Requires the permission `webhook:RevealSecret`.
   */
  revealSubscriptions: { method: 'GET', path: '/v1/webhooks/{business_unit_id}/webhooks/reveal', idempotencyKey: false, list: true },
  /**
   * Read a webhook subscription with its masked secret.
   *
   * Requires the permission `webhook:ReadSubscription`.
   */
  readSubscription: { method: 'GET', path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}', idempotencyKey: false, list: false },
  /**
   * Update the given fields of a webhook subscription.
   *
   * Attaching an authentication configuration, or changing the destination of a subscription that has one, requires webhook:RevealAuthInfo unless the host of the destination is among its `hosts`.
   *
   * Requires the permission `webhook:UpdateSubscription`.
   */
  updateSubscription: { method: 'PUT', path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}', idempotencyKey: false, list: false },
  /**
   * Delete a webhook subscription and discard its unfinished deliveries.
   *
   * Requires the permission `webhook:DeleteSubscription`.
   */
  deleteSubscription: { method: 'DELETE', path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}', idempotencyKey: false, list: false },
  /**
   * Reveal the signing secret of a webhook subscription.
   *
   * Requires the permission `webhook:RevealSecret`.
   */
  revealSubscription: { method: 'GET', path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/reveal', idempotencyKey: false, list: false },
  /**
   * Rotate the signing secret of a webhook subscription.
   *
   * During the grace period, deliveries are signed with both secrets. A previous rotation still in its grace period ends now. Reveal the subscription to see the new secret.
   *
   * Requires the permission `webhook:UpdateSubscription`.
   */
  rotateSubscriptionSecret: { method: 'POST', path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/rotate-secret', idempotencyKey: true, list: false },
  /**
   * Send a `webhooks.test` event to this subscription, regardless of its event types.
   *
   * Requires the permission `webhook:SendTestEvent`.
   */
  sendTestEvent: { method: 'POST', path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/test', idempotencyKey: true, list: false },
  /**
   * Create an authentication configuration for webhook deliveries.
   *
   * Requires the permission `webhook:CreateAuthInfo`.
   */
  createAuthInfo: { method: 'POST', path: '/v1/webhooks/auth-info', idempotencyKey: true, list: false },
  /**
   * List the authentication configurations of the tenant with masked credentials.
   *
   * Requires the permission `webhook:ReadAuthInfo`.
   */
  listAuthInfos: { method: 'GET', path: '/v1/webhooks/auth-info', idempotencyKey: false, list: true },
  /**
   * Read an authentication configuration with masked credentials.
   *
   * Requires the permission `webhook:ReadAuthInfo`.
   */
  readAuthInfo: { method: 'GET', path: '/v1/webhooks/auth-info/{webhook_auth_info_id}', idempotencyKey: false, list: false },
  /**
   * Update the given fields of an authentication configuration.
   *
   * A change of `type` requires a new `config`. To add a host, or to set a `token_url` on a host that is neither the current one nor in `hosts`, requires webhook:RevealAuthInfo.
   *
   * Requires the permission `webhook:UpdateAuthInfo`.
   */
  updateAuthInfo: { method: 'PUT', path: '/v1/webhooks/auth-info/{webhook_auth_info_id}', idempotencyKey: false, list: false },
  /**
   * Delete an authentication configuration that no subscription uses.
   *
   * Requires the permission `webhook:DeleteAuthInfo`.
   */
  deleteAuthInfo: { method: 'DELETE', path: '/v1/webhooks/auth-info/{webhook_auth_info_id}', idempotencyKey: false, list: false },
  /**
   * Reveal the credentials of an authentication configuration.
   *
   * Requires the permission `webhook:RevealAuthInfo`.
   */
  revealAuthInfo: { method: 'GET', path: '/v1/webhooks/auth-info/{webhook_auth_info_id}/reveal', idempotencyKey: false, list: false },
  /**
   * Recover the events that a subscription missed in a time range.
   *
   * A task redelivers the failed, dead and held deliveries of the range.
   *
   * Requires the permission `webhook:RetryDelivery`.
   */
  recoverSubscription: { method: 'POST', path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/recover', idempotencyKey: true, list: false },
  /**
   * Discard the held deliveries of a subscription.
   *
   * A task discards the deliveries for good.
   *
   * Requires the permission `deadletter:DiscardDeadLetter`.
   */
  discardHeldDeliveries: { method: 'POST', path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/discard-held', idempotencyKey: true, list: false },
  /**
   * List the deliveries of a business unit.
   *
   * Requires the permission `webhook:ReadDelivery`.
   */
  listDeliveries: { method: 'GET', path: '/v1/webhooks/{business_unit_id}/deliveries', idempotencyKey: false, list: true },
  /**
   * Read a delivery with its attempts.
   *
   * Requires the permission `webhook:ReadDelivery`.
   */
  readDelivery: { method: 'GET', path: '/v1/webhooks/{business_unit_id}/deliveries/{delivery_id}', idempotencyKey: false, list: false },
  /**
   * Retry a delivery with a new schedule.
   *
   * A delivered delivery can be retried too. The `tenant_event_id` stays the same.
   *
   * Requires the permission `webhook:RetryDelivery`.
   */
  retryDelivery: { method: 'POST', path: '/v1/webhooks/{business_unit_id}/deliveries/{delivery_id}/retry', idempotencyKey: true, list: false },
  /**
   * List the events of a business unit and of its whole tenant.
   *
   * With `trace_id`, lists the events that one request caused. A new event takes a moment to appear.
   *
   * Requires the permission `webhook:ReadDelivery`.
   */
  listEvents: { method: 'GET', path: '/v1/webhooks/{business_unit_id}/events', idempotencyKey: false, list: true },
  /**
   * Explain, per subscription, why an event was or was not delivered.
   *
   * Requires the permission `webhook:ReadDelivery`.
   */
  explainEvent: { method: 'GET', path: '/v1/webhooks/{business_unit_id}/events/{tenant_event_id}', idempotencyKey: false, list: false },
  /**
   * List the event types with their payload schemas and examples, by name.
   *
   * Requires the permission `webhook:ReadDelivery`.
   */
  listEventTypes: { method: 'GET', path: '/v1/webhooks/event-types', idempotencyKey: false, list: true },
  /**
   * List dead letters, or count them by cause, subscription or event type.
   *
   * Dead letters are listed newest first, groups largest first.
   *
   * Requires the permission `deadletter:ReadDeadLetter`.
   */
  listDeadLetters: { method: 'GET', path: '/v1/webhooks/dead-letters', idempotencyKey: false, list: true },
  /**
   * Read a dead letter with its request, response and attempts.
   *
   * Requires the permission `deadletter:ReadDeadLetter`.
   */
  readDeadLetter: { method: 'GET', path: '/v1/webhooks/dead-letters/{dead_letter_id}', idempotencyKey: false, list: false },
  /**
   * Redrive dead letters with a new schedule.
   *
   * A task redrives the deliveries. With `dry_run`, the response only counts them.
   *
   * Requires the permission `deadletter:RedriveDeadLetter`.
   */
  redriveDeadLetters: { method: 'POST', path: '/v1/webhooks/dead-letters/redrive', idempotencyKey: true, list: false },
  /**
   * Discard dead letters.
   *
   * A task discards the deliveries for good. With `dry_run`, the response only counts them.
   *
   * Requires the permission `deadletter:DiscardDeadLetter`.
   */
  discardDeadLetters: { method: 'POST', path: '/v1/webhooks/dead-letters/discard', idempotencyKey: true, list: false },
  /**
   * List the tasks that redrive, discard or recover deliveries.
   *
   * Requires the permission `deadletter:ReadDeadLetter`.
   */
  listDeadLetterTasks: { method: 'GET', path: '/v1/webhooks/dead-letters/tasks', idempotencyKey: false, list: true },
  /**
   * Read the progress of a task.
   *
   * Requires the permission `deadletter:ReadDeadLetter`.
   */
  readDeadLetterTask: { method: 'GET', path: '/v1/webhooks/dead-letters/tasks/{task_id}', idempotencyKey: false, list: false },
  /**
   * Cancel a running task. The changes that it has made remain.
   *
   * Requires the permission `deadletter:RedriveDeadLetter`.
   */
  cancelDeadLetterTask: { method: 'POST', path: '/v1/webhooks/dead-letters/tasks/{task_id}/cancel', idempotencyKey: false, list: false },
  /**
   * Create a transaction without charging it.
   *
   * With `i2p`, the customer is invited to pay, which requires invitetopay:StartTransaction too; with `capture` besides, transaction:CaptureTransaction.
   *
   * Requires the permission `transaction:CreateTransaction`.
   */
  createTransaction: { method: 'POST', path: '/v1/payment-proxy/transactions', idempotencyKey: true, list: false },
  /**
   * List transactions.
   *
   * Requires the permission `transaction:ReadTransaction`.
   */
  listTransactions: { method: 'GET', path: '/v1/payment-proxy/transactions', idempotencyKey: false, list: true },
  /**
   * Create and authorize a transaction.
   *
   * With `capture`, the amount is captured too, which requires transaction:CaptureTransaction. A 202 means that the outcome is not known yet: read the transaction, or wait for the event.
   *
   * Requires the permission `transaction:AuthorizeTransaction`.
   */
  createAndAuthorizeTransaction: { method: 'POST', path: '/v1/payment-proxy/transactions/authorize', idempotencyKey: true, list: false },
  /**
   * Read a transaction with its operations.
   *
   * Requires the permission `transaction:ReadTransaction`.
   */
  readTransaction: { method: 'GET', path: '/v1/payment-proxy/transactions/{transaction_id}', idempotencyKey: false, list: false },
  /**
   * List the operations of a transaction.
   *
   * Requires the permission `transaction:ReadTransaction`.
   */
  listOperations: { method: 'GET', path: '/v1/payment-proxy/transactions/{transaction_id}/operations', idempotencyKey: false, list: true },
  /**
   * Authorize a transaction that was created before.
   *
   * With `capture`, the amount is captured too, which requires transaction:CaptureTransaction. A 202 means that the outcome is not known yet: read the transaction, or wait for the event.
   *
   * Requires the permission `transaction:AuthorizeTransaction`.
   */
  completeTransaction: { method: 'POST', path: '/v1/payment-proxy/transactions/{transaction_id}/complete', idempotencyKey: true, list: false },
  /**
   * Capture an authorized amount, or a part of it.
   *
   * A 202 means that the outcome is not known yet: read the transaction, or wait for the event.
   *
   * Requires the permission `transaction:CaptureTransaction`.
   */
  captureTransaction: { method: 'POST', path: '/v1/payment-proxy/transactions/{transaction_id}/capture', idempotencyKey: true, list: false },
  /**
   * Release the authorized amount that has not been captured.
   *
   * A 202 means that the outcome is not known yet: read the transaction, or wait for the event.
   *
   * Requires the permission `transaction:VoidTransaction`.
   */
  voidTransaction: { method: 'POST', path: '/v1/payment-proxy/transactions/{transaction_id}/void', idempotencyKey: true, list: false },
  /**
   * Refund a captured amount, or a part of it.
   *
   * The refund is given by amount or by items, not by both. A 202 means that the outcome is not known yet: read the transaction, or wait for the event.
   *
   * Requires the permission `transaction:RefundTransaction`.
   */
  refundTransaction: { method: 'POST', path: '/v1/payment-proxy/transactions/{transaction_id}/refund', idempotencyKey: true, list: false },
  /**
   * Query the payment provider for the outcome of a pending or unknown operation.
   *
   * Requires the permission `transaction:ReadTransaction`.
   */
  syncTransaction: { method: 'POST', path: '/v1/payment-proxy/transactions/{transaction_id}/sync', idempotencyKey: false, list: false },
  /**
   * Send the invitation to pay of a transaction again.
   *
   * Revives an expired invitation for 24 hours. The code of the link stays the same.
   *
   * Requires the permission `invitetopay:ResendCode`.
   */
  resendInvitation: { method: 'POST', path: '/v1/payment-proxy/i2p/transactions/{transaction_id}/resend', idempotencyKey: true, list: false },
  /**
   * List the operations in the ledger of the sandbox.
   *
   * The sandbox is a payment provider that moves no money. Tests compare its ledger with transactions.
   *
   * Requires the permission `transaction:ReadTransaction`.
   */
  listSandboxOperations: { method: 'GET', path: '/v1/payment-proxy/sandbox/operations', idempotencyKey: false, list: true },
  /**
   * Set the outcome of an operation in review.
   *
   * For an operation in the state `needs_review`, after its outcome was looked up at the payment provider. Changes amounts and emits the event like a report of the provider. A repetition with the same outcome changes nothing.
   *
   * Requires the permission `transaction:ResolveOperation`.
   */
  resolveOperation: { method: 'POST', path: '/v1/payment-proxy/transactions/{transaction_id}/operations/{operation_id}/resolve', idempotencyKey: false, list: false },
  /**
   * Create a business unit.
   *
   * The unit has no payment orchestrator yet, so it takes no payments yet.
   *
   * Requires the permission `businessunit:CreateBusinessUnit`.
   */
  createBusinessUnit: { method: 'POST', path: '/v1/business-unit/business-units', idempotencyKey: true, list: false },
  /**
   * List business units.
   *
   * Requires the permission `businessunit:ReadBusinessUnit`.
   */
  listBusinessUnits: { method: 'GET', path: '/v1/business-unit/business-units', idempotencyKey: false, list: true },
  /**
   * Read a business unit.
   *
   * Requires the permission `businessunit:ReadBusinessUnit`.
   */
  readBusinessUnit: { method: 'GET', path: '/v1/business-unit/business-units/{business_unit_id}', idempotencyKey: false, list: false },
  /**
   * Update the given fields of a business unit.
   *
   * `branding` and `communication` are replaced as a whole.
   *
   * Requires the permission `businessunit:UpdateBusinessUnit`.
   */
  updateBusinessUnit: { method: 'PATCH', path: '/v1/business-unit/business-units/{business_unit_id}', idempotencyKey: false, list: false },
  /**
   * Delete a business unit.
   *
   * The unit takes no new authorizations. Its transactions can still be read, captured, voided and refunded, and its webhooks still receive their events.
   *
   * Requires the permission `businessunit:DeleteBusinessUnit`.
   */
  deleteBusinessUnit: { method: 'DELETE', path: '/v1/business-unit/business-units/{business_unit_id}', idempotencyKey: false, list: false },
  /**
   * Create a payment orchestrator.
   *
   * A payment orchestrator becomes the default of the unit if no other one is active, whatever `is_default` says.
   *
   * Requires the permission `businessunit:CreatePaymentOrchestrator`.
   */
  createPaymentOrchestrator: { method: 'POST', path: '/v1/business-unit/business-units/{business_unit_id}/payment-orchestrators', idempotencyKey: true, list: false },
  /**
   * List the payment orchestrators of a business unit.
   *
   * Requires the permission `businessunit:ReadPaymentOrchestrator`.
   */
  listPaymentOrchestrators: { method: 'GET', path: '/v1/business-unit/business-units/{business_unit_id}/payment-orchestrators', idempotencyKey: false, list: true },
  /**
   * Read a payment orchestrator.
   *
   * Requires the permission `businessunit:ReadPaymentOrchestrator`.
   */
  readPaymentOrchestrator: { method: 'GET', path: '/v1/business-unit/business-units/{business_unit_id}/payment-orchestrators/{payment_orchestrator_id}', idempotencyKey: false, list: false },
  /**
   * Update the given fields of a payment orchestrator.
   *
   * Connector and mode cannot be changed: create another payment orchestrator instead. `gateway_authentication` replaces all credentials.
   *
   * Requires the permission `businessunit:UpdatePaymentOrchestrator`.
   */
  updatePaymentOrchestrator: { method: 'PATCH', path: '/v1/business-unit/business-units/{business_unit_id}/payment-orchestrators/{payment_orchestrator_id}', idempotencyKey: false, list: false },
  /**
   * Delete a payment orchestrator.
   *
   * It takes no new authorizations. The transactions that use it can still be captured, voided and refunded, so its credentials stay stored. Without the default, a unit takes only requests that name a payment orchestrator.
   *
   * Requires the permission `businessunit:DeletePaymentOrchestrator`.
   */
  deletePaymentOrchestrator: { method: 'DELETE', path: '/v1/business-unit/business-units/{business_unit_id}/payment-orchestrators/{payment_orchestrator_id}', idempotencyKey: false, list: false },
  /**
   * Create a message template.
   *
   * Variables are the only logic: `{{name}}` is replaced by a value. Each variable must be declared.
   *
   * Requires the permission `communication:CreateTemplate`.
   */
  createTemplate: { method: 'POST', path: '/v1/communication/templates', idempotencyKey: true, list: false },
  /**
   * List message templates, the built-in ones last.
   *
   * Requires the permission `communication:ReadTemplate`.
   */
  listTemplates: { method: 'GET', path: '/v1/communication/templates', idempotencyKey: false, list: true },
  /**
   * Read a message template.
   *
   * Requires the permission `communication:ReadTemplate`.
   */
  readTemplate: { method: 'GET', path: '/v1/communication/templates/{template_id}', idempotencyKey: false, list: false },
  /**
   * Change the given fields of a message template, as a new version.
   *
   * Messages that were requested before keep the text of the earlier version.
   *
   * Requires the permission `communication:UpdateTemplate`.
   */
  updateTemplate: { method: 'PATCH', path: '/v1/communication/templates/{template_id}', idempotencyKey: false, list: false },
  /**
   * Delete a message template.
   *
   * Messages that were requested before are still sent.
   *
   * Requires the permission `communication:DeleteTemplate`.
   */
  deleteTemplate: { method: 'DELETE', path: '/v1/communication/templates/{template_id}', idempotencyKey: false, list: false },
  /**
   * List the last 100 versions of a message template, newest first.
   *
   * Requires the permission `communication:ReadTemplate`.
   */
  listTemplateVersions: { method: 'GET', path: '/v1/communication/templates/{template_id}/versions', idempotencyKey: false, list: true },
  /**
   * Render a message template without sending anything.
   *
   * Requires the permission `communication:ReadTemplate`.
   */
  previewTemplate: { method: 'POST', path: '/v1/communication/templates/{template_id}/preview', idempotencyKey: false, list: false },
  /**
   * Send a message.
   *
   * Either `template_id` with `variables`, or `text`, with `subject` for EMAIL and optionally `html`. The message is sent after the response: `status` is `queued`.
   *
   * Requires the permission `communication:SendCommunication`.
   */
  sendCommunication: { method: 'POST', path: '/v1/communication/communications', idempotencyKey: true, list: false },
  /**
   * List messages.
   *
   * Requires the permission `communication:ReadCommunication`.
   */
  listCommunications: { method: 'GET', path: '/v1/communication/communications', idempotencyKey: false, list: true },
  /**
   * Read a message.
   *
   * Requires the permission `communication:ReadCommunication`.
   */
  readCommunication: { method: 'GET', path: '/v1/communication/communications/{communication_id}', idempotencyKey: false, list: false },
  /**
   * List the messages that the provider `outbox` stored instead of sending them.
   *
   * In development only. Elsewhere the path does not exist: 404.
   *
   * Requires the permission `communication:ReadCommunication`.
   */
  listOutboxMessages: { method: 'GET', path: '/v1/communication/outbox', idempotencyKey: false, list: true },
  /**
   * Create a code and send its link to the payer.
   *
   * For a pending transaction (`transaction_id`), or for a new one (`transaction`), which requires transaction:CreateTransaction too. A capture requires transaction:CaptureTransaction, also when the transaction was created with `capture`.
   *
   * Requires the permission `invitetopay:StartTransaction`.
   */
  createCode: { method: 'POST', path: '/v1/invite-to-pay/codes', idempotencyKey: true, list: false },
  /**
   * List codes.
   *
   * Requires the permission `invitetopay:ReadCode`.
   */
  listCodes: { method: 'GET', path: '/v1/invite-to-pay/codes', idempotencyKey: false, list: true },
  /**
   * Read a code.
   *
   * Requires the permission `invitetopay:ReadCode`.
   */
  readCode: { method: 'GET', path: '/v1/invite-to-pay/codes/{code_id}', idempotencyKey: false, list: false },
  /**
   * Update the given fields of an active code.
   *
   * Sends nothing: send the invitation again to reach another recipient. The link stays the same, so an earlier recipient can still use it.
   *
   * Requires the permission `invitetopay:UpdateCode`.
   */
  updateCode: { method: 'PATCH', path: '/v1/invite-to-pay/codes/{code_id}', idempotencyKey: false, list: false },
  /**
   * Reveal the link of a code.
   *
   * The code has the link in `url`. The response to the creation of the code has it too.
   *
   * Requires the permission `invitetopay:RevealCode`.
   */
  revealCode: { method: 'GET', path: '/v1/invite-to-pay/codes/{code_id}/reveal', idempotencyKey: false, list: false },
  /**
   * Cancel a code, so that its link cannot be paid.
   *
   * The transaction stays as it is. A code with a payment in progress is rejected.
   *
   * Requires the permission `invitetopay:CancelCode`.
   */
  cancelCode: { method: 'POST', path: '/v1/invite-to-pay/codes/{code_id}/cancel', idempotencyKey: true, list: false },
  /**
   * List the audit records of the tenant.
   *
   * A record appears within seconds of its request.
   *
   * Requires the permission `audit:ReadRecord`.
   */
  listRecords: { method: 'GET', path: '/v1/audit/records', idempotencyKey: false, list: true },
} as const

/** Operations by resource, each with its name. */
export const groups = {
  keys: {
    /** Create an API key. */
    create: 'createKey',
    /** List the API keys of the tenant with masked values. */
    list: 'listKeys',
    /** Read the API key of the request, with its tenant, roles and permissions. */
    readOwn: 'readOwnKey',
    /** Read an API key with its masked value. */
    read: 'readKey',
    /** Update the given fields of an API key. */
    update: 'updateKey',
    /** Delete an API key. The next request with its value is rejected. */
    delete: 'deleteKey',
    /** Reveal the full value of an API key. */
    reveal: 'revealKey',
    /** Replace all roles of an API key. */
    assignRoles: 'assignRoles',
    /** Rotate the value of an API key. */
    rotate: 'rotateKey',
    /** List the permissions of an API key, by name. */
    readPermissions: 'readKeyPermissions',
  },
  permissions: {
    /** List the permissions of the platform, by name. */
    list: 'listPermissions',
  },
  roles: {
    /** List the roles of the tenant. */
    list: 'listRoles',
    /** Create a custom role. */
    create: 'createRole',
    /** Read a role. */
    read: 'readRole',
    /** Update the given fields of a custom role. */
    update: 'updateRole',
    /** Delete a custom role that is attached to no API key. */
    delete: 'deleteRole',
  },
  subscriptions: {
    /** Create a webhook subscription. */
    create: 'createSubscription',
    /** List the webhook subscriptions of a business unit with masked secrets. */
    list: 'listSubscriptions',
    /** Reveal the signing secrets of the webhook subscriptions of a business unit. */
    revealAll: 'revealSubscriptions',
    /** Read a webhook subscription with its masked secret. */
    read: 'readSubscription',
    /** Update the given fields of a webhook subscription. */
    update: 'updateSubscription',
    /** Delete a webhook subscription and discard its unfinished deliveries. */
    delete: 'deleteSubscription',
    /** Reveal the signing secret of a webhook subscription. */
    reveal: 'revealSubscription',
    /** Rotate the signing secret of a webhook subscription. */
    rotateSecret: 'rotateSubscriptionSecret',
    /** Recover the events that a subscription missed in a time range. */
    recover: 'recoverSubscription',
  },
  events: {
    /** Send a `webhooks.test` event to this subscription, regardless of its event types. */
    sendTest: 'sendTestEvent',
    /** List the events of a business unit and of its whole tenant. */
    list: 'listEvents',
    /** Explain, per subscription, why an event was or was not delivered. */
    explain: 'explainEvent',
  },
  authInfos: {
    /** Create an authentication configuration for webhook deliveries. */
    create: 'createAuthInfo',
    /** List the authentication configurations of the tenant with masked credentials. */
    list: 'listAuthInfos',
    /** Read an authentication configuration with masked credentials. */
    read: 'readAuthInfo',
    /** Update the given fields of an authentication configuration. */
    update: 'updateAuthInfo',
    /** Delete an authentication configuration that no subscription uses. */
    delete: 'deleteAuthInfo',
    /** Reveal the credentials of an authentication configuration. */
    reveal: 'revealAuthInfo',
  },
  deliveries: {
    /** Discard the held deliveries of a subscription. */
    discardHeld: 'discardHeldDeliveries',
    /** List the deliveries of a business unit. */
    list: 'listDeliveries',
    /** Read a delivery with its attempts. */
    read: 'readDelivery',
    /** Retry a delivery with a new schedule. */
    retry: 'retryDelivery',
  },
  eventTypes: {
    /** List the event types with their payload schemas and examples, by name. */
    list: 'listEventTypes',
  },
  deadLetters: {
    /** List dead letters, or count them by cause, subscription or event type. */
    list: 'listDeadLetters',
    /** Read a dead letter with its request, response and attempts. */
    read: 'readDeadLetter',
    /** Redrive dead letters with a new schedule. */
    redrive: 'redriveDeadLetters',
    /** Discard dead letters. */
    discard: 'discardDeadLetters',
  },
  deadLetterTasks: {
    /** List the tasks that redrive, discard or recover deliveries. */
    list: 'listDeadLetterTasks',
    /** Read the progress of a task. */
    read: 'readDeadLetterTask',
    /** Cancel a running task. The changes that it has made remain. */
    cancel: 'cancelDeadLetterTask',
  },
  transactions: {
    /** Create a transaction without charging it. */
    create: 'createTransaction',
    /** List transactions. */
    list: 'listTransactions',
    /** Create and authorize a transaction. */
    createAndAuthorize: 'createAndAuthorizeTransaction',
    /** Read a transaction with its operations. */
    read: 'readTransaction',
    /** Authorize a transaction that was created before. */
    complete: 'completeTransaction',
    /** Capture an authorized amount, or a part of it. */
    capture: 'captureTransaction',
    /** Release the authorized amount that has not been captured. */
    void: 'voidTransaction',
    /** Refund a captured amount, or a part of it. */
    refund: 'refundTransaction',
    /** Query the payment provider for the outcome of a pending or unknown operation. */
    sync: 'syncTransaction',
    /** Send the invitation to pay of a transaction again. */
    resendInvitation: 'resendInvitation',
  },
  operations: {
    /** List the operations of a transaction. */
    list: 'listOperations',
    /** Set the outcome of an operation in review. */
    resolve: 'resolveOperation',
  },
  sandboxOperations: {
    /** List the operations in the ledger of the sandbox. */
    list: 'listSandboxOperations',
  },
  businessUnits: {
    /** Create a business unit. */
    create: 'createBusinessUnit',
    /** List business units. */
    list: 'listBusinessUnits',
    /** Read a business unit. */
    read: 'readBusinessUnit',
    /** Update the given fields of a business unit. */
    update: 'updateBusinessUnit',
    /** Delete a business unit. */
    delete: 'deleteBusinessUnit',
  },
  paymentOrchestrators: {
    /** Create a payment orchestrator. */
    create: 'createPaymentOrchestrator',
    /** List the payment orchestrators of a business unit. */
    list: 'listPaymentOrchestrators',
    /** Read a payment orchestrator. */
    read: 'readPaymentOrchestrator',
    /** Update the given fields of a payment orchestrator. */
    update: 'updatePaymentOrchestrator',
    /** Delete a payment orchestrator. */
    delete: 'deletePaymentOrchestrator',
  },
  templates: {
    /** Create a message template. */
    create: 'createTemplate',
    /** List message templates, the built-in ones last. */
    list: 'listTemplates',
    /** Read a message template. */
    read: 'readTemplate',
    /** Change the given fields of a message template, as a new version. */
    update: 'updateTemplate',
    /** Delete a message template. */
    delete: 'deleteTemplate',
    /** List the last 100 versions of a message template, newest first. */
    listVersions: 'listTemplateVersions',
    /** Render a message template without sending anything. */
    preview: 'previewTemplate',
  },
  communications: {
    /** Send a message. */
    send: 'sendCommunication',
    /** List messages. */
    list: 'listCommunications',
    /** Read a message. */
    read: 'readCommunication',
  },
  outboxMessages: {
    /** List the messages that the provider `outbox` stored instead of sending them. */
    list: 'listOutboxMessages',
  },
  codes: {
    /** Create a code and send its link to the payer. */
    create: 'createCode',
    /** List codes. */
    list: 'listCodes',
    /** Read a code. */
    read: 'readCode',
    /** Update the given fields of an active code. */
    update: 'updateCode',
    /** Reveal the link of a code. */
    reveal: 'revealCode',
    /** Cancel a code, so that its link cannot be paid. */
    cancel: 'cancelCode',
  },
  records: {
    /** List the audit records of the tenant. */
    list: 'listRecords',
  },
} as const

export type ProblemCode =
  | 'address_not_allowed'
  | 'amount_exceeds_capturable'
  | 'amount_exceeds_refundable'
  | 'amount_mismatch'
  | 'audit_unavailable'
  | 'auth_info_in_use'
  | 'auth_info_not_found'
  | 'authorization_unavailable'
  | 'built_in_role'
  | 'built_in_template'
  | 'business_unit_deleted'
  | 'business_unit_name_taken'
  | 'business_unit_not_found'
  | 'code_exists'
  | 'code_not_active'
  | 'code_not_found'
  | 'communication_not_found'
  | 'dead_letter_not_found'
  | 'delivery_in_progress'
  | 'delivery_not_found'
  | 'destination_not_allowed'
  | 'event_not_found'
  | 'expiry_in_the_past'
  | 'external_reference_taken'
  | 'grace_period_too_short'
  | 'header_not_allowed'
  | 'headers_too_large'
  | 'idempotency_key_in_use'
  | 'idempotency_key_reused'
  | 'internal_error'
  | 'invalid_credentials'
  | 'invalid_gateway_authentication'
  | 'invalid_header'
  | 'invalid_request'
  | 'invalid_request_target'
  | 'invalid_transaction_state'
  | 'key_not_found'
  | 'last_default_orchestrator'
  | 'not_an_api_key'
  | 'operation_in_progress'
  | 'operation_not_found'
  | 'operation_not_in_review'
  | 'own_key'
  | 'payload_too_large'
  | 'payment_declined'
  | 'payment_orchestrator_deleted'
  | 'payment_orchestrator_not_found'
  | 'payment_orchestrator_unusable'
  | 'payment_orchestrator_without_page'
  | 'permission_denied'
  | 'provider_unreachable'
  | 'rate_limited'
  | 'raw_card_data_not_allowed'
  | 'request_timeout'
  | 'resend_limit_reached'
  | 'resend_too_soon'
  | 'role_being_deleted'
  | 'role_in_use'
  | 'role_name_taken'
  | 'role_not_found'
  | 'service_unavailable'
  | 'subscription_deleted'
  | 'subscription_disabled'
  | 'subscription_not_found'
  | 'task_finished'
  | 'task_not_found'
  | 'template_not_found'
  | 'template_unusable'
  | 'tenant_not_found'
  | 'tenant_suspended'
  | 'test_mode_not_allowed'
  | 'too_many_auth_infos'
  | 'too_many_business_units'
  | 'too_many_keys'
  | 'too_many_payment_orchestrators'
  | 'too_many_roles'
  | 'too_many_subscriptions'
  | 'too_many_tasks'
  | 'too_many_templates'
  | 'transaction_not_found'
  | 'transaction_not_payable'
  | 'unknown_auth_info'
  | 'unknown_event_type'
  | 'unknown_payment_token'
  | 'unknown_permission'
  | 'unknown_role'
  | 'unknown_transaction_item'
  | 'unsupported_media_type'
  | 'upstream_timeout'
  | 'value_replaced'
  | 'would_exceed_own_permissions'
