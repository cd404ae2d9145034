import type { Texts } from './texts.ts'

export const cs = {
  approvedBy: null,
  direction: 'ltr',
  greeting: { named: 'Dobrý den, {{payer_name}}!', unnamed: 'Dobrý den!' },
  invitation: {
    subject: '{{short_name}} žádá o platbu {{amount}}',
    request: '{{business_unit_name}} Vás žádá o platbu {{amount}}.',
    sms: '{{business_unit_name}} Vás žádá o platbu {{amount}}: {{payment_url}}',
  },
  reminder: {
    subject: 'Připomenutí: {{short_name}} žádá o platbu {{amount}}',
    request: '{{business_unit_name}} Vám připomíná platbu {{amount}}.',
    sms: '{{business_unit_name}} Vám připomíná platbu {{amount}}: {{payment_url}}',
  },
  receipt: {
    subject: 'Potvrzení platby {{amount}} pro {{short_name}}',
    thanks: 'Děkujeme. {{business_unit_name}} potvrzuje přijetí Vaší platby {{amount}}.',
    sms: '{{business_unit_name}} potvrzuje přijetí Vaší platby {{amount}}. Děkujeme.',
  },
  authorization: {
    subject: 'Autorizace platby {{amount}} pro {{short_name}}',
    thanks:
      'Děkujeme. Vaše platba {{amount}} pro {{business_unit_name}} je autorizována. Částka je blokována a zatím nebyla stržena.',
    sms: 'Vaše platba {{amount}} pro {{business_unit_name}} je autorizována. Částka je blokována a zatím nebyla stržena.',
  },
  payBy: 'Zaplaťte prosím nejpozději {{expires_on}}.',
  pay: { button: 'Zaplatit {{amount}}', line: 'Zaplatit {{amount}}: {{payment_url}}' },
  fact: '{{label}}: {{value}}',
  labels: { purpose: 'Účel', amount: 'Částka', date: 'Datum', paidWith: 'Způsob platby', reference: 'Číslo platby' },
  paidWith: { brandAndDigits: '{{brand}}, poslední čtyři číslice {{last4}}', digits: 'Poslední číslice {{last4}}' },
  item: '{{quantity}} × {{name}}',
  moreItems: {
    one: '{{count}} další položka',
    few: '{{count}} další položky',
    many: '{{count}} další položky',
    other: '{{count}} dalších položek',
  },
  support: 'Máte dotazy? Napište na {{support_email}}.',
  userInvitation: {
    subject: 'Pozvánka do {{short_name}}',
    invited: 'Byli jste pozváni mezi uživatele {{tenant_name}}.',
    invitedBy: '{{inviter}} vás zve mezi uživatele {{tenant_name}}. Platby se spravují v Payment Service.',
    roles: 'Vaše role: {{role_names}}.',
    expiry: 'Odkaz funguje jednou, do {{expires_on}}. Pozvání přijmete přihlášením s touto e-mailovou adresou.',
    button: 'Přijmout pozvání',
    line: 'Přijmout pozvání: {{url}}',
    ignore: 'Pokud nevíte, proč jste tento e-mail dostali, nevšímejte si ho: nic se nestane.',
  },
} satisfies Texts
