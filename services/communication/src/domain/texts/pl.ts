import type { Texts } from './texts.ts'

export const pl = {
  approvedBy: null,
  direction: 'ltr',
  greeting: { named: 'Dzień dobry, {{payer_name}}!', unnamed: 'Dzień dobry!' },
  invitation: {
    subject: '{{short_name}} prosi o płatność w wysokości {{amount}}',
    request: '{{business_unit_name}} prosi o płatność w wysokości {{amount}}.',
    sms: '{{business_unit_name}} prosi o płatność w wysokości {{amount}}: {{payment_url}}',
  },
  reminder: {
    subject: 'Przypomnienie: {{short_name}} prosi o płatność w wysokości {{amount}}',
    request: '{{business_unit_name}} przypomina o płatności w wysokości {{amount}}.',
    sms: '{{business_unit_name}} przypomina o płatności w wysokości {{amount}}: {{payment_url}}',
  },
  receipt: {
    subject: 'Potwierdzenie płatności {{amount}} dla {{short_name}}',
    thanks: 'Dziękujemy. {{business_unit_name}} potwierdza otrzymanie płatności w wysokości {{amount}}.',
    sms: '{{business_unit_name}} potwierdza otrzymanie płatności w wysokości {{amount}}. Dziękujemy.',
  },
  authorization: {
    subject: 'Autoryzacja płatności {{amount}} dla {{short_name}}',
    thanks:
      'Dziękujemy. Płatność w wysokości {{amount}} dla {{business_unit_name}} została autoryzowana. Kwota jest zablokowana i nie została jeszcze pobrana.',
    sms: 'Płatność w wysokości {{amount}} dla {{business_unit_name}} została autoryzowana. Kwota jest zablokowana i nie została jeszcze pobrana.',
  },
  payBy: 'Termin płatności: {{expires_on}}',
  pay: { button: 'Zapłać {{amount}}', line: 'Zapłać {{amount}}: {{payment_url}}' },
  fact: '{{label}}: {{value}}',
  labels: { purpose: 'Tytułem', amount: 'Kwota', date: 'Data', paidWith: 'Zapłacono za pomocą', reference: 'Numer' },
  paidWith: { brandAndDigits: '{{brand}}, ostatnie cyfry {{last4}}', digits: 'Ostatnie cyfry numeru: {{last4}}' },
  item: '{{quantity}} × {{name}}',
  moreItems: {
    one: '{{count}} kolejna pozycja',
    few: '{{count}} kolejne pozycje',
    many: '{{count}} kolejnych pozycji',
    other: '{{count}} kolejnej pozycji',
  },
  support: 'W razie pytań prosimy o kontakt: {{support_email}}.',
  userInvitation: {
    subject: 'Zaproszenie do {{short_name}}',
    invited: 'To jest zaproszenie do grona użytkowników {{tenant_name}}.',
    invitedBy:
      '{{inviter}} zaprasza do grona użytkowników {{tenant_name}}. Płatności są obsługiwane w Payment Service.',
    roles: 'Role: {{role_names}}.',
    expiry:
      'Link działa jeden raz i jest ważny do: {{expires_on}}. Aby przyjąć zaproszenie, prosimy zalogować się tym adresem e-mail.',
    button: 'Przyjmij zaproszenie',
    line: 'Przyjmij zaproszenie: {{url}}',
    ignore: 'Jeśli ta wiadomość jest nieoczekiwana, można ją zignorować: nic się nie stanie.',
  },
} satisfies Texts
