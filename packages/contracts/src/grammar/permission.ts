/** Every permission the platform defines, `<resource>:<Action>`, with what it allows. */
export const permissions = {
  'apikey:CreateKey': 'Create API keys',
  'apikey:ReadKey': 'Read API keys, masked, and the permissions they hold',
  'apikey:UpdateKey': 'Change, enable and disable API keys',
  'apikey:DeleteKey': 'Delete API keys',
  'apikey:RevealKey': 'Read the full value of an API key',
  'apikey:RotateKey': 'Give an API key a new value',
  'apikey:AssignRoles': 'Replace the roles of an API key',
  'rbac:ReadRole': 'Read roles',
  'rbac:CreateRole': 'Create custom roles',
  'rbac:UpdateRole': 'Change custom roles',
  'rbac:DeleteRole': 'Delete custom roles',
  'rbac:ReadPermission': 'Read the permission catalogue',
  'user:ReadUser': 'Read users and user invitations',
  'user:InviteUser': 'Invite users, and resend and cancel their invitations',
  'user:UpdateUser': 'Change the roles of users, enable and disable them',
  'user:RemoveUser': 'Remove users, and read and end their sessions',
  'webhook:CreateSubscription': 'Create webhook subscriptions',
  'webhook:ReadSubscription': 'Read webhook subscriptions, secret redacted',
  'webhook:UpdateSubscription': 'Change webhook subscriptions and rotate their secrets',
  'webhook:DeleteSubscription': 'Delete webhook subscriptions',
  'webhook:RevealSecret': 'Read the signing secret of a webhook subscription',
  'webhook:CreateAuthInfo': 'Create webhook authentication configurations',
  'webhook:ReadAuthInfo': 'Read webhook authentication configurations, masked',
  'webhook:UpdateAuthInfo': 'Change webhook authentication configurations',
  'webhook:DeleteAuthInfo': 'Delete webhook authentication configurations',
  'webhook:RevealAuthInfo': 'Read the credentials of a webhook authentication configuration',
  'webhook:ReadDelivery': 'Read deliveries, their attempts and the event types',
  'webhook:RetryDelivery': 'Send deliveries again',
  'webhook:SendTestEvent': 'Send a test event to a subscription',
  'deadletter:ReadDeadLetter': 'Read dead letters',
  'deadletter:RedriveDeadLetter': 'Redrive dead letters',
  'deadletter:DiscardDeadLetter': 'Discard dead letters',
  'transaction:CreateTransaction': 'Create transactions',
  'transaction:ReadTransaction': 'Read transactions and their operations',
  'transaction:AuthorizeTransaction': 'Authorize transactions',
  'transaction:CaptureTransaction': 'Capture authorized transactions',
  'transaction:VoidTransaction': 'Void transactions',
  'transaction:RefundTransaction': 'Refund captured transactions',
  'transaction:ResolveOperation': 'Settle an operation whose outcome the provider does not report',
  'invitetopay:StartTransaction': 'Invite a payer to pay',
  'invitetopay:ReadCode': 'Read payment invitations, without their links',
  'invitetopay:RevealCode': 'Read the link of a payment invitation, by which anyone can pay',
  'invitetopay:UpdateCode': 'Change payment invitations',
  'invitetopay:CancelCode': 'Cancel payment invitations',
  'invitetopay:ResendCode': 'Send a payment invitation again',
  'businessunit:CreateBusinessUnit': 'Create business units',
  'businessunit:ReadBusinessUnit': 'Read business units',
  'businessunit:UpdateBusinessUnit': 'Change business units',
  'businessunit:DeleteBusinessUnit': 'Delete business units',
  'businessunit:CreatePaymentOrchestrator': 'Create payment orchestrators',
  'businessunit:ReadPaymentOrchestrator': 'Read payment orchestrators',
  'businessunit:UpdatePaymentOrchestrator': 'Change payment orchestrators',
  'businessunit:DeletePaymentOrchestrator': 'Delete payment orchestrators',
  'communication:CreateTemplate': 'Create message templates',
  'communication:ReadTemplate': 'Read message templates',
  'communication:UpdateTemplate': 'Change message templates',
  'communication:DeleteTemplate': 'Delete message templates',
  'communication:SendCommunication': 'Send messages',
  'communication:ReadCommunication': 'Read messages that were sent',
  'audit:ReadRecord': 'Read audit records',
} as const

export type Permission = keyof typeof permissions

/**
 * The permissions of a caller, of which the assertion names `P` alone: others may be held too. `has` is a property, not
 * a method, so TypeScript rejects any other permission.
 */
export interface HeldPermissions<P extends Permission> {
  readonly has: (permission: P) => boolean
}

export const permissionNames = Object.keys(permissions) as readonly Permission[]

export function isPermission(name: string): name is Permission {
  return Object.hasOwn(permissions, name)
}
