import { html } from '@payments/chassis/base/html'
import { createCountFormat } from './plural.ts'
import type { Texts } from './texts.ts'

export const fr = {
  tag: 'fr',
  name: 'Français',
  direction: 'ltr',
  approvedBy: null,
  payPage: {
    language: 'Langue',
    titles: {
      active: 'Paiement',
      confirming: 'Confirmer le paiement',
      processing: 'Paiement en cours',
      completed: 'Paiement effectué',
      expired: 'Lien expiré',
      canceled: 'Lien annulé',
      test: 'Lien de test',
      unknown: 'Lien introuvable',
      unavailable: 'Page indisponible',
    },
    payTitle: (amount, merchant) => `Payer ${amount} à ${merchant}`,
    amountToPay: 'Montant à payer',
    payBy: (time, zone) => html`Date limite de paiement : ${time} ${zone}`,
    greeting: (payer, merchant) => html`Bonjour ${payer}, ${merchant} vous demande ce paiement.`,
    items: 'Articles',
    itemCount: createCountFormat('fr', { one: 'article', other: 'articles' }),
    amount: 'Montant',
    purpose: 'Objet',
    reference: 'Référence',
    referenceLine: (reference) => html`Référence : ${reference}`,
    questions: (address) => html`Des questions ? ${address}`,
    confirming: {
      heading: 'Confirmez le paiement auprès de votre banque',
      text: (merchant) =>
        html`Votre banque vous demande de confirmer ce paiement à ${merchant}. Vous reviendrez ensuite sur cette page.`,
      until: (time) => html`Heure limite de confirmation : ${time}. Passé ce délai, le paiement sera annulé.`,
      stopped: 'Cette page ne se met plus à jour toute seule.',
      continue: 'Continuer vers votre banque',
      another: 'Payer autrement',
    },
    processing: {
      heading: 'Votre paiement est en cours',
      text: (merchant) =>
        html`Cette page se met à jour toute seule. Vous pouvez la fermer : le paiement se poursuit, et ${merchant} en recevra le résultat.`,
      changed: 'L’état du paiement a changé. La page se charge.',
      stopped:
        'Le paiement est toujours en cours. Cette page ne se met plus à jour toute seule. Veuillez vérifier de nouveau plus tard.',
      checkAgain: 'Vérifier de nouveau',
    },
    completed: { heading: 'Paiement effectué', text: 'Merci. Vous pouvez fermer cette page.' },
    expired: {
      heading: 'Ce lien a expiré',
      text: (merchant) =>
        html`Ce lien ne permet plus de payer. Veuillez contacter ${merchant} pour obtenir un nouveau lien.`,
    },
    canceled: {
      heading: 'Ce lien a été annulé',
      text: (merchant) =>
        html`Ce lien ne permet plus de payer. Veuillez contacter ${merchant} si vous vous attendiez à payer.`,
    },
    test: {
      heading: 'Ce lien est réservé aux tests',
      text: (merchant) =>
        html`Un paiement avec ce lien ne transférerait pas d’argent : ce lien ne permet donc pas de payer. Veuillez contacter ${merchant} pour obtenir un nouveau lien.`,
    },
    unknown: {
      heading: 'Ce lien ne fonctionne pas',
      text: 'Vérifiez que vous avez ouvert le lien complet du message. Si c’est le cas, demandez un nouveau lien à l’expéditeur.',
    },
    unavailable: {
      heading: 'Cette page est indisponible pour le moment',
      text: 'Votre lien reste valable. Veuillez réessayer dans quelques minutes.',
    },
    tryAgain: 'Réessayer',
    returnTo: (merchant) => html`Retourner chez ${merchant}`,
    notices: {
      failed: {
        title: 'Paiement non lancé',
        text: 'Le paiement n’a pas pu être lancé. Aucun montant n’a été débité. Veuillez réessayer.',
      },
      stale: { title: 'Veuillez réessayer', text: 'Cette page n’était plus à jour, rien n’a donc été envoyé.' },
      overloaded: {
        title: 'Veuillez réessayer dans quelques secondes',
        text: 'De nombreux paiements sont en cours, le vôtre n’a donc pas été lancé. Aucun montant n’a été débité.',
      },
      not_canceled: {
        title: 'Paiement non annulé',
        text: 'Le paiement n’a pas été annulé. Veuillez réessayer dans quelques secondes.',
      },
      busy: { title: 'Veuillez patienter', text: 'Un autre paiement avec ce lien est en cours.' },
      unknown_token: {
        title: 'Veuillez réessayer',
        text: 'Les données de la carte n’ont pas été reconnues. Aucun montant n’a été débité.',
      },
      too_many: { title: 'Trop de tentatives', text: 'Patientez une minute, puis réessayez.' },
    },
    declined: 'Paiement refusé',
    notCharged: 'Aucun montant n’a été débité.',
    declines: {
      insufficient_funds:
        'Le solde du compte est insuffisant pour ce paiement. Utilisez une autre carte ou un autre compte.',
      amount_limit_exceeded:
        'Le montant dépasse un plafond de la carte. Utilisez une autre carte ou contactez votre banque.',
      expired_card: 'La carte a expiré. Utilisez une autre carte.',
      incorrect_cvc: 'Le code de sécurité est incorrect. Vérifiez les données de la carte et réessayez.',
      incorrect_number: 'Le numéro de carte est incorrect. Vérifiez les données de la carte et réessayez.',
      token_invalid: 'Les données de la carte n’ont pas pu être utilisées. Saisissez-les de nouveau.',
      authentication_required:
        'Votre banque exige une confirmation qui n’est pas possible ici. Veuillez utiliser une autre carte.',
      authentication_failed:
        'Le paiement n’a pas été confirmé auprès de votre banque. Veuillez réessayer ou utiliser une autre carte.',
      authentication_expired: 'Le paiement n’a pas été confirmé à temps. Veuillez réessayer.',
      authentication_canceled: 'Le paiement a été annulé avant d’être confirmé.',
      issuer_unavailable: 'Votre banque ne répond pas pour le moment. Réessayez dans quelques minutes.',
      processing_error: 'Une erreur s’est produite chez le prestataire de paiement. Réessayez dans quelques minutes.',
      transaction_not_permitted: 'La carte ne peut pas être utilisée pour ce paiement. Utilisez une autre carte.',
      currency_not_supported: 'La carte ne peut pas être utilisée dans cette devise. Utilisez une autre carte.',
      other: 'Votre banque n’a pas approuvé le paiement. Utilisez une autre carte ou contactez votre banque.',
    },
    card: {
      heading: 'Données de la carte',
      scriptNeeded:
        'La saisie des données de la carte nécessite JavaScript. Activez-le pour cette page, puis rechargez-la.',
      sending: 'Envoi de votre paiement…',
      unavailable: 'La saisie des données de la carte est indisponible pour le moment.',
      untrusted: (host) => html`Le formulaire de carte est une page de ${host}.`,
      trusted: (merchant) =>
        html`Les données de votre carte sont transmises au prestataire de paiement par une connexion chiffrée. ${merchant} n’y a pas accès.`,
    },
    sandbox: {
      heading: 'Paiement de test',
      note: 'Ceci est un test. Aucun argent n’est transféré.',
      pay: (amount) => `Payer ${amount} avec une carte de test`,
      others: 'Autres cartes de test',
      groups: {
        approved: 'Acceptés',
        confirmed: 'Confirmé auprès de la banque',
        declined: 'Refusés',
        uncertain: 'Lents ou incertains',
      },
      methods: {
        mastercard: 'Mastercard, acceptée',
        amex: 'Carte American Express, acceptée',
        ach: 'Compte bancaire, accepté',
        challenge: 'Carte à confirmer auprès de la banque',
        challenge_slow_10: 'Carte acceptée 10 secondes après la confirmation',
        challenge_declined: 'Carte refusée par la banque après la confirmation',
        challenge_abandoned: 'Carte dont la banque ne répond jamais',
        declined: 'Carte, refusée',
        insufficient_funds: 'Carte, refusée : provision insuffisante',
        expired_card: 'Carte, refusée : expirée',
        incorrect_cvc: 'Carte, refusée : code de sécurité incorrect',
        do_not_honor: 'Carte, refusée : non honorée par la banque',
        lost_or_stolen: 'Carte, refusée : perdue ou volée',
        suspected_fraud: 'Carte, refusée : suspicion de fraude',
        issuer_unavailable: 'Carte, refusée : banque indisponible',
        processing_error: 'Carte, refusée : erreur de traitement',
        slow_5000: 'Carte, acceptée après 5 secondes',
        pending: 'Carte, en attente puis acceptée',
        timeout_applied: 'Carte, acceptée, mais la réponse est perdue',
        timeout_not_applied: 'Carte, non débitée, et la réponse est perdue',
        unknown_forever: 'Carte dont le résultat reste inconnu',
        unreachable: 'Carte dont le prestataire est injoignable',
      },
    },
  },
  cardPage: {
    title: 'Données de la carte',
    loading: 'Chargement des champs de la carte…',
    pay: (amount) => `Payer ${amount}`,
    working: 'Veuillez patienter…',
    failed: 'Les données de la carte n’ont pas pu être vérifiées. Aucun montant n’a été débité. Veuillez réessayer.',
    notLoaded: {
      heading: 'Les champs de la carte n’ont pas pu être chargés',
      text: 'Vérifiez votre connexion et assurez-vous qu’aucun bloqueur n’empêche les scripts sur cette page.',
    },
    tryAgain: 'Réessayer',
    notHere: {
      heading: 'Aucun paiement n’est possible ici',
      text: 'Veuillez rouvrir le lien de votre message.',
    },
  },
  problemPage: {
    unreadable: ['La demande est illisible', 'Ouvrez de nouveau le lien tel que vous l’avez reçu.'],
    missing: ['Cette page n’existe pas', 'Vérifiez que le lien est complet.'],
    late: ['La demande n’a pas été reçue à temps', 'Ouvrez de nouveau le lien : la page affiche votre paiement.'],
    limited: ['Trop de demandes', 'Ouvrez de nouveau le lien dans quelques minutes.'],
    unavailable: [
      'La page est indisponible',
      'Ouvrez de nouveau le lien dans une minute : la page affiche votre paiement.',
    ],
    support: 'Pour obtenir de l’aide, indiquez ce numéro :',
  },
  messages: {
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
  },
} satisfies Texts
