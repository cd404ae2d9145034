import type { Texts } from './texts.ts'

export const it = {
  approvedBy: null,
  direction: 'ltr',
  greeting: { named: 'Buongiorno {{payer_name}},', unnamed: 'Buongiorno,' },
  invitation: {
    subject: '{{short_name}} richiede un pagamento di {{amount}}',
    request: '{{business_unit_name}} Le richiede un pagamento di {{amount}}.',
    sms: '{{business_unit_name}} Le richiede un pagamento di {{amount}}: {{payment_url}}',
  },
  reminder: {
    subject: 'Promemoria: {{short_name}} richiede un pagamento di {{amount}}',
    request: '{{business_unit_name}} Le ricorda il pagamento di {{amount}}.',
    sms: '{{business_unit_name}} Le ricorda il pagamento di {{amount}}: {{payment_url}}',
  },
  receipt: {
    subject: 'Ricevuta di {{short_name}} per {{amount}}',
    thanks: 'Grazie. {{business_unit_name}} ha ricevuto il Suo pagamento di {{amount}}.',
    sms: '{{business_unit_name}} ha ricevuto il Suo pagamento di {{amount}}. Grazie.',
  },
  authorization: {
    subject: 'Pagamento di {{amount}} autorizzato per {{short_name}}',
    thanks:
      'Grazie. Il Suo pagamento di {{amount}} a {{business_unit_name}} è autorizzato. L’importo è bloccato e non è ancora stato addebitato.',
    sms: 'Il Suo pagamento di {{amount}} a {{business_unit_name}} è autorizzato. L’importo è bloccato e non è ancora stato addebitato.',
  },
  payBy: 'Scadenza: {{expires_on}}',
  pay: { button: 'Paga {{amount}}', line: 'Paga {{amount}}: {{payment_url}}' },
  fact: '{{label}}: {{value}}',
  labels: { purpose: 'Causale', amount: 'Importo', date: 'Data', paidWith: 'Pagato con', reference: 'Riferimento' },
  paidWith: { brandAndDigits: '{{brand}} che termina con {{last4}}', digits: 'Numero che termina con {{last4}}' },
  item: '{{quantity}} × {{name}}',
  moreItems: { one: '{{count}} altro articolo', other: '{{count}} altri articoli' },
  support: 'Ha domande? Scriva a {{support_email}}.',
  userInvitation: {
    subject: 'Invito a {{short_name}}',
    invited: 'Ha ricevuto un invito a diventare utente di {{tenant_name}}.',
    invitedBy:
      '{{inviter}} La invita a diventare utente di {{tenant_name}}, che gestisce i suoi pagamenti in Payment Service.',
    roles: 'I Suoi ruoli: {{role_names}}.',
    expiry:
      'Il link funziona una sola volta. Scadenza: {{expires_on}}. Per accettare, acceda con questo indirizzo e-mail.',
    button: 'Accetta l’invito',
    line: 'Accetta l’invito: {{url}}',
    ignore: 'Se non sa perché ha ricevuto questa e-mail, la ignori: non accadrà nulla.',
  },
} satisfies Texts
