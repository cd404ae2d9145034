import type { Texts } from './texts.ts'

export const da = {
  approvedBy: null,
  direction: 'ltr',
  greeting: { named: 'Hej {{payer_name}}', unnamed: 'Hej' },
  invitation: {
    subject: '{{short_name}} anmoder om en betaling på {{amount}}',
    request: '{{business_unit_name}} anmoder om en betaling på {{amount}}.',
    sms: '{{business_unit_name}} anmoder om en betaling på {{amount}}: {{payment_url}}',
  },
  reminder: {
    subject: 'Påmindelse: {{short_name}} anmoder om en betaling på {{amount}}',
    request: '{{business_unit_name}} minder om betalingen på {{amount}}.',
    sms: '{{business_unit_name}} minder om betalingen på {{amount}}: {{payment_url}}',
  },
  receipt: {
    subject: 'Kvittering fra {{short_name}} på {{amount}}',
    thanks: 'Tak. {{business_unit_name}} har modtaget din betaling på {{amount}}.',
    sms: '{{business_unit_name}} har modtaget din betaling på {{amount}}. Tak.',
  },
  authorization: {
    subject: 'Betaling på {{amount}} til {{short_name}} godkendt',
    thanks:
      'Tak. Din betaling på {{amount}} til {{business_unit_name}} er godkendt. Beløbet er reserveret og er ikke trukket endnu.',
    sms: 'Din betaling på {{amount}} til {{business_unit_name}} er godkendt. Beløbet er reserveret og er ikke trukket endnu.',
  },
  payBy: 'Betal venligst senest {{expires_on}}.',
  pay: { button: 'Betal {{amount}}', line: 'Betal {{amount}}: {{payment_url}}' },
  fact: '{{label}}: {{value}}',
  labels: { purpose: 'Formål', amount: 'Beløb', date: 'Dato', paidWith: 'Betalt med', reference: 'Reference' },
  paidWith: { brandAndDigits: '{{brand}}, der ender på {{last4}}', digits: 'Nummer, der ender på {{last4}}' },
  item: '{{quantity}} × {{name}}',
  moreItems: { one: '{{count}} vare mere', other: '{{count}} varer mere' },
  support: 'Har du spørgsmål? Skriv til {{support_email}}.',
  userInvitation: {
    subject: 'Invitation til {{short_name}}',
    invited: 'Du er inviteret til at blive bruger hos {{tenant_name}}.',
    invitedBy:
      '{{inviter}} inviterer dig til at blive bruger hos {{tenant_name}}, som håndterer sine betalinger i Payment Service.',
    roles: 'Dine roller: {{role_names}}.',
    expiry: 'Linket virker én gang, indtil {{expires_on}}. Log ind med denne e-mailadresse for at acceptere.',
    button: 'Accepter invitationen',
    line: 'Accepter invitationen: {{url}}',
    ignore: 'Hvis du ikke ved, hvorfor du har modtaget denne e-mail, kan du se bort fra den: Der sker ikke noget.',
  },
} satisfies Texts
