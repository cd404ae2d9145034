import type { Texts } from './texts.ts'

export const de = {
  approvedBy: null,
  direction: 'ltr',
  greeting: { named: 'Guten Tag {{payer_name}},', unnamed: 'Guten Tag,' },
  invitation: {
    subject: '{{short_name}} bittet um Zahlung von {{amount}}',
    request: '{{business_unit_name}} bittet Sie um die Zahlung von {{amount}}.',
    sms: '{{business_unit_name}} bittet Sie um die Zahlung von {{amount}}: {{payment_url}}',
  },
  reminder: {
    subject: 'Erinnerung: {{short_name}} bittet um Zahlung von {{amount}}',
    request: '{{business_unit_name}} erinnert Sie an die Zahlung von {{amount}}.',
    sms: '{{business_unit_name}} erinnert Sie an die Zahlung von {{amount}}: {{payment_url}}',
  },
  receipt: {
    subject: 'Zahlungsbeleg von {{short_name}} über {{amount}}',
    thanks: 'Vielen Dank. {{business_unit_name}} hat Ihre Zahlung von {{amount}} erhalten.',
    sms: '{{business_unit_name}} hat Ihre Zahlung von {{amount}} erhalten. Vielen Dank.',
  },
  authorization: {
    subject: 'Autorisierte Zahlung von {{amount}} an {{short_name}}',
    thanks:
      'Vielen Dank. Ihre Zahlung von {{amount}} an {{business_unit_name}} ist autorisiert. Der Betrag ist reserviert und noch nicht abgebucht.',
    sms: 'Ihre Zahlung von {{amount}} an {{business_unit_name}} ist autorisiert. Der Betrag ist reserviert und noch nicht abgebucht.',
  },
  payBy: 'Zahlungsfrist: {{expires_on}}',
  pay: { button: '{{amount}} zahlen', line: '{{amount}} zahlen: {{payment_url}}' },
  fact: '{{label}}: {{value}}',
  labels: { purpose: 'Zweck', amount: 'Betrag', date: 'Datum', paidWith: 'Bezahlt mit', reference: 'Referenz' },
  paidWith: { brandAndDigits: '{{brand}}, Endziffern {{last4}}', digits: 'Nummer mit den Endziffern {{last4}}' },
  item: '{{quantity}} × {{name}}',
  moreItems: { one: '{{count}} weiterer Artikel', other: '{{count}} weitere Artikel' },
  support: 'Haben Sie Fragen? Schreiben Sie an {{support_email}}.',
  userInvitation: {
    subject: 'Einladung zu {{short_name}}',
    invited: 'Sie wurden eingeladen, Benutzer von {{tenant_name}} zu werden.',
    invitedBy:
      '{{inviter}} lädt Sie ein, Benutzer von {{tenant_name}} zu werden. Dort werden Zahlungen mit Payment Service verwaltet.',
    roles: 'Ihre Rollen: {{role_names}}.',
    expiry:
      'Der Link gilt einmal. Gültig bis: {{expires_on}}. Um die Einladung anzunehmen, melden Sie sich mit dieser E-Mail-Adresse an.',
    button: 'Einladung annehmen',
    line: 'Einladung annehmen: {{url}}',
    ignore:
      'Wenn Sie nicht wissen, warum Sie diese E-Mail erhalten haben, ignorieren Sie sie: Es geschieht dann nichts.',
  },
} satisfies Texts
