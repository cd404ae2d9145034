import type { Texts } from './texts.ts'

export const fr = {
  approvedBy: null,
  direction: 'ltr',
  greeting: { named: 'Bonjour {{payer_name}},', unnamed: 'Bonjour,' },
  invitation: {
    subject: '{{short_name}} vous demande un paiement de {{amount}}',
    request: '{{business_unit_name}} vous demande un paiement de {{amount}}.',
    sms: '{{business_unit_name}} vous demande un paiement de {{amount}} : {{payment_url}}',
  },
  reminder: {
    subject: 'Rappel : {{short_name}} vous demande un paiement de {{amount}}',
    request: '{{business_unit_name}} vous rappelle le paiement de {{amount}}.',
    sms: '{{business_unit_name}} vous rappelle le paiement de {{amount}} : {{payment_url}}',
  },
  receipt: {
    subject: 'Reçu de {{short_name}} pour {{amount}}',
    thanks: 'Merci. {{business_unit_name}} a bien reçu votre paiement de {{amount}}.',
    sms: '{{business_unit_name}} a bien reçu votre paiement de {{amount}}. Merci.',
  },
  authorization: {
    subject: 'Paiement de {{amount}} autorisé pour {{short_name}}',
    thanks:
      'Merci. Votre paiement de {{amount}} à {{business_unit_name}} est autorisé. Le montant est réservé et n’est pas encore débité.',
    sms: 'Votre paiement de {{amount}} à {{business_unit_name}} est autorisé. Le montant est réservé et n’est pas encore débité.',
  },
  payBy: 'Date limite : {{expires_on}}',
  pay: { button: 'Payer {{amount}}', line: 'Payer {{amount}} : {{payment_url}}' },
  fact: '{{label}} : {{value}}',
  labels: { purpose: 'Objet', amount: 'Montant', date: 'Date', paidWith: 'Payé avec', reference: 'Référence' },
  paidWith: {
    brandAndDigits: '{{brand}} se terminant par {{last4}}',
    digits: 'Numéro se terminant par {{last4}}',
  },
  item: '{{quantity}} × {{name}}',
  moreItems: { one: '{{count}} autre article', other: '{{count}} autres articles' },
  support: 'Une question ? Écrivez à {{support_email}}.',
  userInvitation: {
    subject: 'Invitation à rejoindre {{short_name}}',
    invited: 'Vous avez reçu une invitation à rejoindre les utilisateurs de {{tenant_name}}.',
    invitedBy:
      '{{inviter}} vous invite à rejoindre les utilisateurs de {{tenant_name}}, qui gère ses paiements dans Payment Service.',
    roles: 'Vos rôles : {{role_names}}.',
    expiry:
      'Le lien ne fonctionne qu’une fois. Date limite : {{expires_on}}. Pour accepter, connectez-vous avec cette adresse e-mail.',
    button: 'Accepter l’invitation',
    line: 'Accepter l’invitation : {{url}}',
    ignore: 'Si vous ne savez pas pourquoi vous avez reçu cet e-mail, ignorez-le : il ne se passera rien.',
  },
} satisfies Texts
