import type { Texts } from './texts.ts'

export const sv = {
  approvedBy: null,
  direction: 'ltr',
  greeting: { named: 'Hej {{payer_name}}!', unnamed: 'Hej!' },
  invitation: {
    subject: '{{short_name}} begär en betalning på {{amount}}',
    request: '{{business_unit_name}} begär en betalning på {{amount}}.',
    sms: '{{business_unit_name}} begär en betalning på {{amount}}: {{payment_url}}',
  },
  reminder: {
    subject: 'Påminnelse: {{short_name}} begär en betalning på {{amount}}',
    request: '{{business_unit_name}} påminner om betalningen på {{amount}}.',
    sms: '{{business_unit_name}} påminner om betalningen på {{amount}}: {{payment_url}}',
  },
  receipt: {
    subject: 'Kvitto från {{short_name}} på {{amount}}',
    thanks: 'Tack. {{business_unit_name}} har tagit emot din betalning på {{amount}}.',
    sms: '{{business_unit_name}} har tagit emot din betalning på {{amount}}. Tack.',
  },
  authorization: {
    subject: 'Betalning på {{amount}} till {{short_name}} godkänd',
    thanks:
      'Tack. Din betalning på {{amount}} till {{business_unit_name}} är godkänd. Beloppet är reserverat och har inte dragits ännu.',
    sms: 'Din betalning på {{amount}} till {{business_unit_name}} är godkänd. Beloppet är reserverat och har inte dragits ännu.',
  },
  payBy: 'Betala senast den {{expires_on}}.',
  pay: { button: 'Betala {{amount}}', line: 'Betala {{amount}}: {{payment_url}}' },
  fact: '{{label}}: {{value}}',
  labels: { purpose: 'Avser', amount: 'Belopp', date: 'Datum', paidWith: 'Betalat med', reference: 'Referens' },
  paidWith: { brandAndDigits: '{{brand}} som slutar på {{last4}}', digits: 'Nummer som slutar på {{last4}}' },
  item: '{{quantity}} × {{name}}',
  moreItems: { one: '{{count}} vara till', other: '{{count}} varor till' },
  support: 'Har du frågor? Skriv till {{support_email}}.',
  userInvitation: {
    subject: 'Inbjudan till {{short_name}}',
    invited: 'Du är inbjuden att bli användare hos {{tenant_name}}.',
    invitedBy:
      '{{inviter}} bjuder in dig att bli användare hos {{tenant_name}}, som hanterar sina betalningar i Payment Service.',
    roles: 'Dina roller: {{role_names}}.',
    expiry:
      'Länken fungerar en gång, till och med {{expires_on}}. Logga in med den här e-postadressen för att tacka ja.',
    button: 'Tacka ja till inbjudan',
    line: 'Tacka ja till inbjudan: {{url}}',
    ignore: 'Om du inte vet varför du har fått det här mejlet kan du bortse från det: ingenting händer.',
  },
} satisfies Texts
