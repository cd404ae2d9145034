import type { Texts } from './texts.ts'

export const en = {
  approvedBy: 'maintainers',
  direction: 'ltr',
  greeting: { named: 'Hello {{payer_name}},', unnamed: 'Hello,' },
  invitation: {
    subject: '{{short_name}} requests a payment of {{amount}}',
    request: '{{business_unit_name}} requests a payment of {{amount}}.',
    sms: '{{business_unit_name}} requests a payment of {{amount}}: {{payment_url}}',
  },
  reminder: {
    subject: 'Reminder: {{short_name}} requests a payment of {{amount}}',
    request: 'This is a reminder: {{business_unit_name}} requests a payment of {{amount}}.',
    sms: 'Reminder: {{business_unit_name}} requests a payment of {{amount}}: {{payment_url}}',
  },
  receipt: {
    subject: 'Receipt from {{short_name}} for {{amount}}',
    thanks: 'Thank you. {{business_unit_name}} received your payment of {{amount}}.',
    sms: '{{business_unit_name}} received your payment of {{amount}}. Thank you.',
  },
  authorization: {
    subject: 'Authorized payment of {{amount}} to {{short_name}}',
    thanks:
      'Thank you. Your payment of {{amount}} to {{business_unit_name}} is authorized. The amount is reserved, and not charged yet.',
    sms: 'Your payment of {{amount}} to {{business_unit_name}} is authorized. The amount is reserved, and not charged yet.',
  },
  payBy: 'Please pay by {{expires_on}}.',
  pay: { button: 'Pay {{amount}}', line: 'Pay {{amount}}: {{payment_url}}' },
  fact: '{{label}}: {{value}}',
  labels: { purpose: 'For', amount: 'Amount', date: 'Date', paidWith: 'Paid with', reference: 'Reference' },
  paidWith: { brandAndDigits: '{{brand}} ending in {{last4}}', digits: 'Number ending in {{last4}}' },
  item: '{{quantity}} × {{name}}',
  moreItems: { one: '{{count}} more item', other: '{{count}} more items' },
  support: 'Questions? Write to {{support_email}}.',
  userInvitation: {
    subject: 'Invitation to {{short_name}}',
    invited: 'You are invited to become a user of {{tenant_name}}.',
    invitedBy:
      '{{inviter}} invites you to become a user of {{tenant_name}}, which manages its payments in Payment Service.',
    roles: 'Your roles: {{role_names}}.',
    expiry: 'The link works once, until {{expires_on}}. To accept, sign in with this email address.',
    button: 'Accept the invitation',
    line: 'Accept the invitation: {{url}}',
    ignore: 'If you do not know why you received this mail, ignore it: nothing happens.',
  },
} satisfies Texts
