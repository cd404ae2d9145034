import { html } from '@payments/chassis/base/html'
import { createCountFormat } from './plural.ts'
import type { Texts } from './texts.ts'

export const nl = {
  tag: 'nl',
  name: 'Nederlands',
  direction: 'ltr',
  approvedBy: null,
  payPage: {
    language: 'Taal',
    titles: {
      active: 'Betaling',
      confirming: 'Betaling bevestigen',
      processing: 'Betaling wordt verwerkt',
      completed: 'Betaling voltooid',
      expired: 'Link verlopen',
      canceled: 'Link geannuleerd',
      test: 'Testlink',
      unknown: 'Link niet gevonden',
      unavailable: 'Pagina niet beschikbaar',
    },
    payTitle: (amount, merchant) => `Betaal ${amount} aan ${merchant}`,
    amountToPay: 'Te betalen bedrag',
    payBy: (time, zone) => html`Betaal vóór ${time} ${zone}`,
    greeting: (payer, merchant) => html`Beste ${payer}, ${merchant} vraagt u om deze betaling.`,
    items: 'Artikelen',
    itemCount: createCountFormat('nl', { one: 'artikel', other: 'artikelen' }),
    amount: 'Bedrag',
    purpose: 'Omschrijving',
    reference: 'Referentie',
    referenceLine: (reference) => html`Referentie: ${reference}`,
    questions: (address) => html`Heeft u vragen? ${address}`,
    confirming: {
      heading: 'Bevestig de betaling bij uw bank',
      text: (merchant) =>
        html`Uw bank vraagt u deze betaling aan ${merchant} te bevestigen. Daarna keert u terug naar deze pagina.`,
      until: (time) => html`Bevestig uiterlijk om ${time}. Daarna wordt de betaling geannuleerd.`,
      stopped: 'Deze pagina werkt zichzelf niet meer bij.',
      continue: 'Verder naar uw bank',
      another: 'Op een andere manier betalen',
    },
    processing: {
      heading: 'Uw betaling wordt verwerkt',
      text: (merchant) =>
        html`Deze pagina werkt zichzelf bij. U kunt de pagina sluiten: de betaling loopt verder en ${merchant} krijgt bericht van het resultaat.`,
      changed: 'De status van de betaling is gewijzigd. De pagina wordt geladen.',
      stopped:
        'De betaling wordt nog verwerkt. Deze pagina werkt zichzelf niet meer bij. Controleer het later opnieuw.',
      checkAgain: 'Opnieuw controleren',
    },
    completed: { heading: 'Betaling voltooid', text: 'Dank u wel. U kunt deze pagina sluiten.' },
    expired: {
      heading: 'Deze link is verlopen',
      text: (merchant) =>
        html`Met deze link kan niet meer worden betaald. Neem contact op met ${merchant} voor een nieuwe link.`,
    },
    canceled: {
      heading: 'Deze link is geannuleerd',
      text: (merchant) =>
        html`Met deze link kan niet meer worden betaald. Neem contact op met ${merchant} als u verwachtte te betalen.`,
    },
    test: {
      heading: 'Deze link is alleen voor tests',
      text: (merchant) =>
        html`Bij een betaling met deze link zou geen geld worden overgemaakt, daarom kan er niet mee worden betaald. Neem contact op met ${merchant} voor een nieuwe link.`,
    },
    unknown: {
      heading: 'Deze link werkt niet',
      text: 'Controleer of u de hele link uit het bericht heeft geopend. Is dat zo, vraag de afzender dan om een nieuwe link.',
    },
    unavailable: {
      heading: 'Deze pagina is op dit moment niet beschikbaar',
      text: 'Uw link blijft geldig. Probeer het over enkele minuten opnieuw.',
    },
    tryAgain: 'Opnieuw proberen',
    returnTo: (merchant) => html`Terug naar ${merchant}`,
    notices: {
      failed: {
        title: 'Betaling niet gestart',
        text: 'De betaling kon niet worden gestart. Er is niets afgeschreven. Probeer het opnieuw.',
      },
      stale: {
        title: 'Probeer het opnieuw',
        text: 'Deze pagina was niet meer actueel, daarom is er niets verzonden.',
      },
      overloaded: {
        title: 'Probeer het over enkele seconden opnieuw',
        text: 'Er worden op dit moment veel betalingen verwerkt, daarom is die van u niet gestart. Er is niets afgeschreven.',
      },
      not_canceled: {
        title: 'Betaling niet geannuleerd',
        text: 'De betaling is niet geannuleerd. Probeer het over enkele seconden opnieuw.',
      },
      busy: { title: 'Een ogenblik geduld', text: 'Er wordt al een andere betaling met deze link verwerkt.' },
      unknown_token: {
        title: 'Probeer het opnieuw',
        text: 'De kaartgegevens zijn niet herkend. Er is niets afgeschreven.',
      },
      too_many: { title: 'Te veel pogingen', text: 'Wacht een minuut en probeer het dan opnieuw.' },
    },
    declined: 'Betaling geweigerd',
    notCharged: 'Er is niets afgeschreven.',
    declines: {
      insufficient_funds:
        'Het saldo van de rekening is te laag voor deze betaling. Gebruik een andere kaart of rekening.',
      amount_limit_exceeded:
        'Het bedrag is hoger dan een limiet van de kaart. Gebruik een andere kaart of neem contact op met uw bank.',
      expired_card: 'De kaart is verlopen. Gebruik een andere kaart.',
      incorrect_cvc: 'De beveiligingscode is niet juist. Controleer de kaartgegevens en probeer het opnieuw.',
      incorrect_number: 'Het kaartnummer is niet juist. Controleer de kaartgegevens en probeer het opnieuw.',
      token_invalid: 'De kaartgegevens konden niet worden gebruikt. Voer de kaartgegevens opnieuw in.',
      authentication_required: 'Uw bank vraagt om een bevestiging die hier niet mogelijk is. Gebruik een andere kaart.',
      authentication_failed:
        'De betaling is niet bevestigd bij uw bank. Probeer het opnieuw of gebruik een andere kaart.',
      authentication_expired: 'De betaling is niet op tijd bevestigd. Probeer het opnieuw.',
      authentication_canceled: 'De betaling is geannuleerd voordat deze was bevestigd.',
      issuer_unavailable: 'Uw bank reageert op dit moment niet. Probeer het over enkele minuten opnieuw.',
      processing_error: 'Er is iets misgegaan bij de betaaldienst. Probeer het over enkele minuten opnieuw.',
      transaction_not_permitted: 'De kaart kan niet worden gebruikt voor deze betaling. Gebruik een andere kaart.',
      currency_not_supported: 'De kaart kan niet worden gebruikt in deze valuta. Gebruik een andere kaart.',
      other: 'Uw bank heeft de betaling niet goedgekeurd. Gebruik een andere kaart of neem contact op met uw bank.',
    },
    card: {
      heading: 'Kaartgegevens',
      scriptNeeded:
        'Voor het invoeren van de kaart is JavaScript nodig. Schakel het in voor deze pagina en laad de pagina opnieuw.',
      sending: 'Uw betaling wordt verzonden…',
      unavailable: 'Het invoeren van de kaart is op dit moment niet mogelijk.',
      untrusted: (host) => html`Het kaartformulier is een pagina van ${host}.`,
      trusted: (merchant) =>
        html`Uw kaartgegevens gaan via een versleutelde verbinding naar de betaaldienst. ${merchant} ziet ze niet.`,
    },
    sandbox: {
      heading: 'Testbetaling',
      note: 'Dit is een test. Er wordt geen geld overgemaakt.',
      pay: (amount) => `Betaal ${amount} met een testkaart`,
      others: 'Andere testkaarten',
      groups: {
        approved: 'Goedgekeurd',
        confirmed: 'Bevestigd bij de bank',
        declined: 'Geweigerd',
        uncertain: 'Traag of onzeker',
      },
      methods: {
        mastercard: 'Mastercard, goedgekeurd',
        amex: 'American Express-kaart, goedgekeurd',
        ach: 'Bankrekening, goedgekeurd',
        challenge: 'Kaart die bij de bank moet worden bevestigd',
        challenge_slow_10: 'Kaart, 10 seconden na de bevestiging goedgekeurd',
        challenge_declined: 'Kaart, die de bank na de bevestiging weigert',
        challenge_abandoned: 'Kaart waarvan de bank nooit antwoordt',
        declined: 'Kaart, geweigerd',
        insufficient_funds: 'Kaart, geweigerd: onvoldoende saldo',
        expired_card: 'Kaart, geweigerd: verlopen',
        incorrect_cvc: 'Kaart, geweigerd: onjuiste beveiligingscode',
        do_not_honor: 'Kaart, geweigerd: de bank accepteert de betaling niet',
        lost_or_stolen: 'Kaart, geweigerd: verloren of gestolen',
        suspected_fraud: 'Kaart, geweigerd: vermoeden van fraude',
        issuer_unavailable: 'Kaart, geweigerd: bank niet beschikbaar',
        processing_error: 'Kaart, geweigerd: verwerkingsfout',
        slow_5000: 'Kaart, goedgekeurd na 5 seconden',
        pending: 'Kaart, eerst in behandeling, dan goedgekeurd',
        timeout_applied: 'Kaart, goedgekeurd, en het antwoord gaat verloren',
        timeout_not_applied: 'Kaart, niet belast, en het antwoord gaat verloren',
        unknown_forever: 'Kaart waarvan het resultaat onbekend blijft',
        unreachable: 'Kaart waarvan de betaaldienst niet bereikbaar is',
      },
    },
  },
  cardPage: {
    title: 'Kaartgegevens',
    loading: 'De kaartvelden worden geladen…',
    pay: (amount) => `${amount} betalen`,
    working: 'Even geduld…',
    failed: 'De kaartgegevens konden niet worden gecontroleerd. Er is niets afgeschreven. Probeer het opnieuw.',
    notLoaded: {
      heading: 'De kaartvelden konden niet worden geladen',
      text: 'Controleer uw verbinding en of een blokkering scripts op deze pagina tegenhoudt.',
    },
    tryAgain: 'Opnieuw proberen',
    notHere: { heading: 'Hier kan niets worden betaald', text: 'Open de link uit uw bericht opnieuw.' },
  },
  problemPage: {
    unreadable: ['Het verzoek is niet leesbaar', 'Open de link opnieuw, zoals u die hebt ontvangen.'],
    missing: ['Deze pagina bestaat niet', 'Controleer of de link volledig is.'],
    late: ['Het verzoek is niet op tijd ontvangen', 'Open de link opnieuw: de pagina toont uw betaling.'],
    limited: ['Te veel verzoeken', 'Open de link over enkele minuten opnieuw.'],
    unavailable: [
      'De pagina is niet beschikbaar',
      'Open de link over een minuut opnieuw: de pagina toont uw betaling.',
    ],
    support: 'Vermeld bij vragen dit nummer:',
  },
  messages: {
    greeting: { named: 'Beste {{payer_name}},', unnamed: 'Goedendag,' },
    invitation: {
      subject: '{{short_name}} vraagt om een betaling van {{amount}}',
      request: '{{business_unit_name}} vraagt u om een betaling van {{amount}}.',
      sms: '{{business_unit_name}} vraagt u om een betaling van {{amount}}: {{payment_url}}',
    },
    reminder: {
      subject: 'Herinnering: {{short_name}} vraagt om een betaling van {{amount}}',
      request: '{{business_unit_name}} herinnert u aan de betaling van {{amount}}.',
      sms: '{{business_unit_name}} herinnert u aan de betaling van {{amount}}: {{payment_url}}',
    },
    receipt: {
      subject: 'Betalingsbewijs van {{short_name}} voor {{amount}}',
      thanks: 'Bedankt. {{business_unit_name}} heeft uw betaling van {{amount}} ontvangen.',
      sms: '{{business_unit_name}} heeft uw betaling van {{amount}} ontvangen. Bedankt.',
    },
    authorization: {
      subject: 'Betaling van {{amount}} aan {{short_name}} goedgekeurd',
      thanks:
        'Bedankt. Uw betaling van {{amount}} aan {{business_unit_name}} is goedgekeurd. Het bedrag is gereserveerd en nog niet afgeschreven.',
      sms: 'Uw betaling van {{amount}} aan {{business_unit_name}} is goedgekeurd. Het bedrag is gereserveerd en nog niet afgeschreven.',
    },
    payBy: 'Betaal uiterlijk op {{expires_on}}.',
    pay: { button: '{{amount}} betalen', line: '{{amount}} betalen: {{payment_url}}' },
    fact: '{{label}}: {{value}}',
    labels: { purpose: 'Voor', amount: 'Bedrag', date: 'Datum', paidWith: 'Betaald met', reference: 'Referentie' },
    paidWith: { brandAndDigits: '{{brand}} eindigend op {{last4}}', digits: 'Nummer eindigend op {{last4}}' },
    item: '{{quantity}} × {{name}}',
    moreItems: { one: 'Nog {{count}} artikel', other: 'Nog {{count}} artikelen' },
    support: 'Hebt u vragen? Schrijf naar {{support_email}}.',
    userInvitation: {
      subject: 'Uitnodiging voor {{short_name}}',
      invited: 'U bent uitgenodigd om gebruiker van {{tenant_name}} te worden.',
      invitedBy:
        '{{inviter}} nodigt u uit om gebruiker van {{tenant_name}} te worden. Betalingen worden beheerd in Payment Service.',
      roles: 'Uw rollen: {{role_names}}.',
      expiry: 'De link werkt één keer, tot {{expires_on}}. Log in met dit e-mailadres om de uitnodiging te accepteren.',
      button: 'Uitnodiging accepteren',
      line: 'Uitnodiging accepteren: {{url}}',
      ignore: 'Weet u niet waarom u deze e-mail hebt ontvangen? Dan kunt u hem negeren: er gebeurt niets.',
    },
  },
} satisfies Texts
