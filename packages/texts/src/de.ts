import { html } from '@payments/chassis/base/html'
import { createCountFormat } from './plural.ts'
import type { Texts } from './texts.ts'

export const de = {
  tag: 'de',
  name: 'Deutsch',
  direction: 'ltr',
  approvedBy: null,
  payPage: {
    language: 'Sprache',
    titles: {
      active: 'Zahlung',
      confirming: 'Zahlung bestätigen',
      processing: 'Zahlung wird verarbeitet',
      completed: 'Zahlung abgeschlossen',
      expired: 'Link abgelaufen',
      canceled: 'Link nicht mehr gültig',
      test: 'Test-Link',
      unknown: 'Link nicht gefunden',
      unavailable: 'Seite nicht verfügbar',
    },
    payTitle: (amount, merchant) => `${amount} an ${merchant} zahlen`,
    amountToPay: 'Zu zahlender Betrag',
    payBy: (time, zone) => html`Zahlungsfrist: ${time} ${zone}`,
    greeting: (payer, merchant) => html`Guten Tag ${payer}, ${merchant} bittet Sie um diese Zahlung.`,
    items: 'Positionen',
    itemCount: createCountFormat('de', { one: 'Position', other: 'Positionen' }),
    amount: 'Betrag',
    purpose: 'Verwendungszweck',
    reference: 'Referenz',
    referenceLine: (reference) => html`Referenz: ${reference}`,
    questions: (address) => html`Haben Sie Fragen? ${address}`,
    confirming: {
      heading: 'Bestätigen Sie die Zahlung bei Ihrer Bank',
      text: (merchant) =>
        html`Ihre Bank bittet Sie, diese Zahlung an ${merchant} zu bestätigen. Danach kehren Sie auf diese Seite zurück.`,
      until: (time) => html`Bitte bestätigen Sie bis ${time}. Danach wird die Zahlung abgebrochen.`,
      stopped: 'Diese Seite aktualisiert sich nicht mehr selbst.',
      continue: 'Weiter zu Ihrer Bank',
      another: 'Auf andere Weise zahlen',
    },
    processing: {
      heading: 'Ihre Zahlung wird verarbeitet',
      text: (merchant) =>
        html`Diese Seite aktualisiert sich selbst. Sie können sie schließen: Die Zahlung läuft weiter, und ${merchant} wird über das Ergebnis informiert.`,
      changed: 'Der Stand der Zahlung hat sich geändert. Die Seite wird geladen.',
      stopped:
        'Die Zahlung wird noch verarbeitet. Diese Seite aktualisiert sich nicht mehr selbst. Bitte sehen Sie später noch einmal nach.',
      checkAgain: 'Erneut prüfen',
    },
    completed: { heading: 'Zahlung abgeschlossen', text: 'Vielen Dank. Sie können diese Seite schließen.' },
    expired: {
      heading: 'Dieser Link ist abgelaufen',
      text: (merchant) =>
        html`Mit diesem Link kann nichts mehr bezahlt werden. Bitte wenden Sie sich an ${merchant}, um einen neuen Link zu erhalten.`,
    },
    canceled: {
      heading: 'Dieser Link wurde zurückgezogen',
      text: (merchant) =>
        html`Mit diesem Link kann nichts mehr bezahlt werden. Bitte wenden Sie sich an ${merchant}, wenn Sie eine Zahlung erwartet haben.`,
    },
    test: {
      heading: 'Dieser Link ist nur für Tests',
      text: (merchant) =>
        html`Bei einer Zahlung mit diesem Link würde kein Geld fließen, deshalb kann damit nichts bezahlt werden. Bitte wenden Sie sich an ${merchant}, um einen neuen Link zu erhalten.`,
    },
    unknown: {
      heading: 'Dieser Link funktioniert nicht',
      text: 'Bitte prüfen Sie, ob Sie den ganzen Link aus der Nachricht geöffnet haben. Wenn ja, bitten Sie den Absender um einen neuen Link.',
    },
    unavailable: {
      heading: 'Diese Seite ist zurzeit nicht verfügbar',
      text: 'Ihr Link bleibt gültig. Bitte versuchen Sie es in einigen Minuten noch einmal.',
    },
    tryAgain: 'Erneut versuchen',
    returnTo: (merchant) => html`Zurück zu ${merchant}`,
    notices: {
      failed: {
        title: 'Zahlung nicht gestartet',
        text: 'Die Zahlung konnte nicht gestartet werden. Es wurde nichts abgebucht. Bitte versuchen Sie es noch einmal.',
      },
      stale: {
        title: 'Bitte versuchen Sie es noch einmal',
        text: 'Diese Seite war nicht mehr aktuell, deshalb wurde nichts übermittelt.',
      },
      overloaded: {
        title: 'Bitte versuchen Sie es in einigen Sekunden noch einmal',
        text: 'Zurzeit werden viele Zahlungen verarbeitet, deshalb wurde Ihre nicht gestartet. Es wurde nichts abgebucht.',
      },
      not_canceled: {
        title: 'Zahlung nicht abgebrochen',
        text: 'Die Zahlung wurde nicht abgebrochen. Bitte versuchen Sie es in einigen Sekunden noch einmal.',
      },
      busy: { title: 'Bitte warten Sie', text: 'Eine andere Zahlung mit diesem Link wird gerade verarbeitet.' },
      unknown_token: {
        title: 'Bitte versuchen Sie es noch einmal',
        text: 'Die Kartendaten wurden nicht erkannt. Es wurde nichts abgebucht.',
      },
      too_many: {
        title: 'Zu viele Versuche',
        text: 'Bitte warten Sie eine Minute und versuchen Sie es dann noch einmal.',
      },
    },
    declined: 'Zahlung abgelehnt',
    notCharged: 'Es wurde nichts abgebucht.',
    declines: {
      insufficient_funds:
        'Das Konto ist für diese Zahlung nicht ausreichend gedeckt. Bitte verwenden Sie eine andere Karte oder ein anderes Konto.',
      amount_limit_exceeded:
        'Der Betrag übersteigt ein Limit der Karte. Bitte verwenden Sie eine andere Karte oder wenden Sie sich an Ihre Bank.',
      expired_card: 'Die Karte ist abgelaufen. Bitte verwenden Sie eine andere Karte.',
      incorrect_cvc:
        'Die Prüfnummer ist nicht korrekt. Bitte prüfen Sie die Kartendaten und versuchen Sie es noch einmal.',
      incorrect_number:
        'Die Kartennummer ist nicht korrekt. Bitte prüfen Sie die Kartendaten und versuchen Sie es noch einmal.',
      token_invalid: 'Die Kartendaten konnten nicht verwendet werden. Bitte geben Sie die Kartendaten noch einmal ein.',
      authentication_required:
        'Ihre Bank verlangt eine Bestätigung, die hier nicht möglich ist. Bitte verwenden Sie eine andere Karte.',
      authentication_failed:
        'Die Zahlung wurde bei Ihrer Bank nicht bestätigt. Bitte versuchen Sie es noch einmal oder verwenden Sie eine andere Karte.',
      authentication_expired: 'Die Zahlung wurde nicht rechtzeitig bestätigt. Bitte versuchen Sie es noch einmal.',
      authentication_canceled: 'Die Zahlung wurde abgebrochen, bevor sie bestätigt wurde.',
      issuer_unavailable: 'Ihre Bank antwortet zurzeit nicht. Bitte versuchen Sie es in einigen Minuten noch einmal.',
      processing_error:
        'Beim Zahlungsdienstleister ist ein Fehler aufgetreten. Bitte versuchen Sie es in einigen Minuten noch einmal.',
      transaction_not_permitted:
        'Die Karte kann für diese Zahlung nicht verwendet werden. Bitte verwenden Sie eine andere Karte.',
      currency_not_supported:
        'Die Karte kann in dieser Währung nicht verwendet werden. Bitte verwenden Sie eine andere Karte.',
      other:
        'Ihre Bank hat die Zahlung nicht genehmigt. Bitte verwenden Sie eine andere Karte oder wenden Sie sich an Ihre Bank.',
    },
    card: {
      heading: 'Kartendaten',
      scriptNeeded:
        'Für die Eingabe der Kartendaten wird JavaScript benötigt. Bitte aktivieren Sie es für diese Seite und laden Sie die Seite neu.',
      sending: 'Ihre Zahlung wird gesendet …',
      unavailable: 'Die Eingabe der Kartendaten ist zurzeit nicht verfügbar.',
      untrusted: (host) => html`Das Kartenformular ist eine Seite von ${host}.`,
      trusted: (merchant) =>
        html`Ihre Kartendaten gehen über eine verschlüsselte Verbindung an den Zahlungsdienstleister. ${merchant} sieht sie nicht.`,
    },
    sandbox: {
      heading: 'Testzahlung',
      note: 'Dies ist ein Test. Es fließt kein Geld.',
      pay: (amount) => `${amount} mit einer Testkarte zahlen`,
      others: 'Weitere Testkarten',
      groups: {
        approved: 'Genehmigt',
        confirmed: 'Bei der Bank bestätigt',
        declined: 'Abgelehnt',
        uncertain: 'Langsam oder ungewiss',
      },
      methods: {
        mastercard: 'Mastercard, genehmigt',
        amex: 'American-Express-Karte, genehmigt',
        ach: 'Bankkonto, genehmigt',
        challenge: 'Karte, die bei der Bank bestätigt werden muss',
        challenge_slow_10: 'Karte, 10 Sekunden nach der Bestätigung genehmigt',
        challenge_declined: 'Karte, nach der Bestätigung von der Bank abgelehnt',
        challenge_abandoned: 'Karte, deren Bank nie antwortet',
        declined: 'Karte, abgelehnt',
        insufficient_funds: 'Karte, abgelehnt: keine Deckung',
        expired_card: 'Karte, abgelehnt: abgelaufen',
        incorrect_cvc: 'Karte, abgelehnt: falsche Prüfnummer',
        do_not_honor: 'Karte, abgelehnt: von der Bank nicht eingelöst',
        lost_or_stolen: 'Karte, abgelehnt: verloren oder gestohlen',
        suspected_fraud: 'Karte, abgelehnt: Betrugsverdacht',
        issuer_unavailable: 'Karte, abgelehnt: Bank nicht erreichbar',
        processing_error: 'Karte, abgelehnt: Verarbeitungsfehler',
        slow_5000: 'Karte, nach 5 Sekunden genehmigt',
        pending: 'Karte, zuerst ausstehend, dann genehmigt',
        timeout_applied: 'Karte, genehmigt, und die Antwort geht verloren',
        timeout_not_applied: 'Karte, nicht belastet, und die Antwort geht verloren',
        unknown_forever: 'Karte, deren Ergebnis unbekannt bleibt',
        unreachable: 'Karte, deren Zahlungsdienstleister nicht erreichbar ist',
      },
    },
  },
  cardPage: {
    title: 'Kartendaten',
    loading: 'Die Kartenfelder werden geladen …',
    pay: (amount) => `${amount} zahlen`,
    working: 'Bitte warten …',
    failed:
      'Die Kartendaten konnten nicht geprüft werden. Es wurde nichts abgebucht. Bitte versuchen Sie es noch einmal.',
    notLoaded: {
      heading: 'Die Kartenfelder konnten nicht geladen werden',
      text: 'Bitte prüfen Sie Ihre Verbindung und ob ein Blocker Skripte auf dieser Seite verhindert.',
    },
    tryAgain: 'Erneut versuchen',
    notHere: {
      heading: 'Hier kann nichts bezahlt werden',
      text: 'Bitte öffnen Sie den Link aus Ihrer Nachricht noch einmal.',
    },
  },
  problemPage: {
    unreadable: [
      'Die Anfrage ist nicht lesbar',
      'Bitte öffnen Sie den Link noch einmal, so wie Sie ihn erhalten haben.',
    ],
    missing: ['Diese Seite gibt es nicht', 'Bitte prüfen Sie, ob der Link vollständig ist.'],
    late: [
      'Die Anfrage kam nicht rechtzeitig an',
      'Bitte öffnen Sie den Link noch einmal: Die Seite zeigt Ihre Zahlung.',
    ],
    limited: ['Zu viele Anfragen', 'Bitte öffnen Sie den Link in einigen Minuten noch einmal.'],
    unavailable: [
      'Die Seite ist nicht verfügbar',
      'Bitte öffnen Sie den Link in einer Minute noch einmal: Die Seite zeigt Ihre Zahlung.',
    ],
    support: 'Geben Sie bei Fragen diese Nummer an:',
  },
  messages: {
    greeting: { named: 'Guten Tag {{payer_name}},', unnamed: 'Guten Tag,' },
    invitation: {
      subject: '{{short_name}} bittet um Zahlung von {{amount}}',
      request: '{{business_unit_name}} bittet Sie um die Zahlung von {{amount}}.',
      sms: '{{business_unit_name}} bittet Sie um die Zahlung von {{amount}}: {{payment_url}}',
    },
    reminder: {
      subject: 'Erinnerung: {{short_name}} bittet um Zahlung von {{amount}}',
      request: '{{business_unit_name}} erinnert Sie an die Zahlung von {{amount}}.',
      sms: '{{business_unit_name}} erinnert Sie an die Zahlung von {{amount}}: {{payment_url}}',
    },
    receipt: {
      subject: 'Zahlungsbeleg von {{short_name}} über {{amount}}',
      thanks: 'Vielen Dank. {{business_unit_name}} hat Ihre Zahlung von {{amount}} erhalten.',
      sms: '{{business_unit_name}} hat Ihre Zahlung von {{amount}} erhalten. Vielen Dank.',
    },
    authorization: {
      subject: 'Autorisierte Zahlung von {{amount}} an {{short_name}}',
      thanks:
        'Vielen Dank. Ihre Zahlung von {{amount}} an {{business_unit_name}} ist autorisiert. Der Betrag ist reserviert und noch nicht abgebucht.',
      sms: 'Ihre Zahlung von {{amount}} an {{business_unit_name}} ist autorisiert. Der Betrag ist reserviert und noch nicht abgebucht.',
    },
    payBy: 'Zahlungsfrist: {{expires_on}}',
    pay: { button: '{{amount}} zahlen', line: '{{amount}} zahlen: {{payment_url}}' },
    fact: '{{label}}: {{value}}',
    labels: { purpose: 'Zweck', amount: 'Betrag', date: 'Datum', paidWith: 'Bezahlt mit', reference: 'Referenz' },
    paidWith: { brandAndDigits: '{{brand}}, Endziffern {{last4}}', digits: 'Nummer mit den Endziffern {{last4}}' },
    item: '{{quantity}} × {{name}}',
    moreItems: { one: '{{count}} weiterer Artikel', other: '{{count}} weitere Artikel' },
    support: 'Haben Sie Fragen? Schreiben Sie an {{support_email}}.',
    userInvitation: {
      subject: 'Einladung zu {{short_name}}',
      invited: 'Sie wurden eingeladen, Benutzer von {{tenant_name}} zu werden.',
      invitedBy:
        '{{inviter}} lädt Sie ein, Benutzer von {{tenant_name}} zu werden. Dort werden Zahlungen mit Payment Service verwaltet.',
      roles: 'Ihre Rollen: {{role_names}}.',
      expiry:
        'Der Link gilt einmal. Gültig bis: {{expires_on}}. Um die Einladung anzunehmen, melden Sie sich mit dieser E-Mail-Adresse an.',
      button: 'Einladung annehmen',
      line: 'Einladung annehmen: {{url}}',
      ignore:
        'Wenn Sie nicht wissen, warum Sie diese E-Mail erhalten haben, ignorieren Sie sie: Es geschieht dann nichts.',
    },
  },
} satisfies Texts
