import type { Texts } from './texts.ts'

export const pt = {
  approvedBy: null,
  direction: 'ltr',
  greeting: { named: 'Olá, {{payer_name}},', unnamed: 'Olá,' },
  invitation: {
    subject: '{{short_name}} solicita um pagamento de {{amount}}',
    request: '{{business_unit_name}} solicita um pagamento de {{amount}}.',
    sms: '{{business_unit_name}} solicita um pagamento de {{amount}}: {{payment_url}}',
  },
  reminder: {
    subject: 'Lembrete: {{short_name}} solicita um pagamento de {{amount}}',
    request: '{{business_unit_name}} lembra o pagamento pendente de {{amount}}.',
    sms: '{{business_unit_name}} lembra o pagamento pendente de {{amount}}: {{payment_url}}',
  },
  receipt: {
    subject: 'Recibo de {{short_name}} no valor de {{amount}}',
    thanks: 'Obrigado. {{business_unit_name}} recebeu o seu pagamento de {{amount}}.',
    sms: '{{business_unit_name}} recebeu o seu pagamento de {{amount}}. Obrigado.',
  },
  authorization: {
    subject: 'Pagamento de {{amount}} autorizado para {{short_name}}',
    thanks:
      'Obrigado. O seu pagamento de {{amount}} a {{business_unit_name}} está autorizado. O valor está reservado e ainda não foi cobrado.',
    sms: 'O seu pagamento de {{amount}} a {{business_unit_name}} está autorizado. O valor está reservado e ainda não foi cobrado.',
  },
  payBy: 'Pedimos que pague até {{expires_on}}.',
  pay: { button: 'Pagar {{amount}}', line: 'Pagar {{amount}}: {{payment_url}}' },
  fact: '{{label}}: {{value}}',
  labels: { purpose: 'Descrição', amount: 'Valor', date: 'Data', paidWith: 'Pago com', reference: 'Referência' },
  paidWith: { brandAndDigits: '{{brand}} com final {{last4}}', digits: 'Número com final {{last4}}' },
  item: '{{quantity}} × {{name}}',
  moreItems: { one: 'Mais {{count}} artigo', other: 'Mais {{count}} artigos' },
  support: 'Tem perguntas? Escreva para {{support_email}}.',
  userInvitation: {
    subject: 'Convite para {{short_name}}',
    invited: 'Recebeu um convite para ser utilizador de {{tenant_name}}.',
    invitedBy:
      '{{inviter}} convida-o a ser utilizador de {{tenant_name}}, que gere os seus pagamentos no Payment Service.',
    roles: 'As suas funções: {{role_names}}.',
    expiry:
      'O link funciona uma única vez, até {{expires_on}}. Para aceitar, inicie sessão com este endereço de e-mail.',
    button: 'Aceitar o convite',
    line: 'Aceitar o convite: {{url}}',
    ignore: 'Se não sabe por que razão recebeu este e-mail, ignore-o: nada acontecerá.',
  },
} satisfies Texts
