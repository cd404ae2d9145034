import type { Texts } from './texts.ts'

export const es = {
  approvedBy: null,
  direction: 'ltr',
  greeting: { named: 'Hola, {{payer_name}}:', unnamed: 'Hola:' },
  invitation: {
    subject: '{{short_name}} le solicita un pago de {{amount}}',
    request: '{{business_unit_name}} le solicita un pago de {{amount}}.',
    sms: '{{business_unit_name}} le solicita un pago de {{amount}}: {{payment_url}}',
  },
  reminder: {
    subject: 'Recordatorio: {{short_name}} le solicita un pago de {{amount}}',
    request: '{{business_unit_name}} le recuerda el pago de {{amount}}.',
    sms: '{{business_unit_name}} le recuerda el pago de {{amount}}: {{payment_url}}',
  },
  receipt: {
    subject: 'Recibo de {{short_name}} por {{amount}}',
    thanks: 'Gracias. {{business_unit_name}} ha recibido su pago de {{amount}}.',
    sms: '{{business_unit_name}} ha recibido su pago de {{amount}}. Gracias.',
  },
  authorization: {
    subject: 'Pago de {{amount}} autorizado para {{short_name}}',
    thanks:
      'Gracias. Su pago de {{amount}} a {{business_unit_name}} está autorizado. El importe está reservado y todavía no se ha cobrado.',
    sms: 'Su pago de {{amount}} a {{business_unit_name}} está autorizado. El importe está reservado y todavía no se ha cobrado.',
  },
  payBy: 'Fecha límite: {{expires_on}}',
  pay: { button: 'Pagar {{amount}}', line: 'Pagar {{amount}}: {{payment_url}}' },
  fact: '{{label}}: {{value}}',
  labels: { purpose: 'Concepto', amount: 'Importe', date: 'Fecha', paidWith: 'Pagado con', reference: 'Referencia' },
  paidWith: { brandAndDigits: '{{brand}} terminada en {{last4}}', digits: 'Número terminado en {{last4}}' },
  item: '{{quantity}} × {{name}}',
  moreItems: { one: '{{count}} artículo más', other: '{{count}} artículos más' },
  support: '¿Tiene preguntas? Escriba a {{support_email}}.',
  userInvitation: {
    subject: 'Invitación a {{short_name}}',
    invited: 'Se le invita a ser usuario de {{tenant_name}}.',
    invitedBy: '{{inviter}} le invita a ser usuario de {{tenant_name}}, que gestiona sus pagos en Payment Service.',
    roles: 'Sus roles: {{role_names}}.',
    expiry:
      'El enlace funciona una sola vez. Fecha límite: {{expires_on}}. Para aceptar, inicie sesión con esta dirección de correo.',
    button: 'Aceptar la invitación',
    line: 'Aceptar la invitación: {{url}}',
    ignore: 'Si no sabe por qué ha recibido este correo, ignórelo: no ocurrirá nada.',
  },
} satisfies Texts
