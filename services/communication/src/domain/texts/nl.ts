import type { Texts } from './texts.ts'

export const nl = {
  approvedBy: null,
  direction: 'ltr',
  greeting: { named: 'Beste {{payer_name}},', unnamed: 'Goedendag,' },
  invitation: {
    subject: '{{short_name}} vraagt om een betaling van {{amount}}',
    request: '{{business_unit_name}} vraagt u om een betaling van {{amount}}.',
    sms: '{{business_unit_name}} vraagt u om een betaling van {{amount}}: {{payment_url}}',
  },
  reminder: {
    subject: 'Herinnering: {{short_name}} vraagt om een betaling van {{amount}}',
    request: '{{business_unit_name}} herinnert u aan de betaling van {{amount}}.',
    sms: '{{business_unit_name}} herinnert u aan de betaling van {{amount}}: {{payment_url}}',
  },
  receipt: {
    subject: 'Betalingsbewijs van {{short_name}} voor {{amount}}',
    thanks: 'Bedankt. {{business_unit_name}} heeft uw betaling van {{amount}} ontvangen.',
    sms: '{{business_unit_name}} heeft uw betaling van {{amount}} ontvangen. Bedankt.',
  },
  authorization: {
    subject: 'Betaling van {{amount}} aan {{short_name}} goedgekeurd',
    thanks:
      'Bedankt. Uw betaling van {{amount}} aan {{business_unit_name}} is goedgekeurd. Het bedrag is gereserveerd en nog niet afgeschreven.',
    sms: 'Uw betaling van {{amount}} aan {{business_unit_name}} is goedgekeurd. Het bedrag is gereserveerd en nog niet afgeschreven.',
  },
  payBy: 'Betaal uiterlijk op {{expires_on}}.',
  pay: { button: '{{amount}} betalen', line: '{{amount}} betalen: {{payment_url}}' },
  fact: '{{label}}: {{value}}',
  labels: { purpose: 'Voor', amount: 'Bedrag', date: 'Datum', paidWith: 'Betaald met', reference: 'Referentie' },
  paidWith: { brandAndDigits: '{{brand}} eindigend op {{last4}}', digits: 'Nummer eindigend op {{last4}}' },
  item: '{{quantity}} × {{name}}',
  moreItems: { one: 'Nog {{count}} artikel', other: 'Nog {{count}} artikelen' },
  support: 'Hebt u vragen? Schrijf naar {{support_email}}.',
  userInvitation: {
    subject: 'Uitnodiging voor {{short_name}}',
    invited: 'U bent uitgenodigd om gebruiker van {{tenant_name}} te worden.',
    invitedBy:
      '{{inviter}} nodigt u uit om gebruiker van {{tenant_name}} te worden. Betalingen worden beheerd in Payment Service.',
    roles: 'Uw rollen: {{role_names}}.',
    expiry: 'De link werkt één keer, tot {{expires_on}}. Log in met dit e-mailadres om de uitnodiging te accepteren.',
    button: 'Uitnodiging accepteren',
    line: 'Uitnodiging accepteren: {{url}}',
    ignore: 'Weet u niet waarom u deze e-mail hebt ontvangen? Dan kunt u hem negeren: er gebeurt niets.',
  },
} satisfies Texts
