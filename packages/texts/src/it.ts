import { html } from '@payments/chassis/base/html'
import { createCountFormat } from './plural.ts'
import type { Texts } from './texts.ts'

export const it = {
  tag: 'it',
  name: 'Italiano',
  direction: 'ltr',
  approvedBy: null,
  payPage: {
    language: 'Lingua',
    titles: {
      active: 'Pagamento',
      confirming: 'Conferma del pagamento',
      processing: 'Pagamento in corso',
      completed: 'Pagamento completato',
      expired: 'Link scaduto',
      canceled: 'Link annullato',
      test: 'Link di prova',
      unknown: 'Link non trovato',
      unavailable: 'Pagina non disponibile',
    },
    payTitle: (amount, merchant) => `Pagamento di ${amount} a ${merchant}`,
    amountToPay: 'Importo da pagare',
    payBy: (time, zone) => html`Scadenza del pagamento: ${time} ${zone}`,
    greeting: (payer, merchant) => html`Gentile ${payer}, ${merchant} Le richiede questo pagamento.`,
    items: 'Articoli',
    itemCount: createCountFormat('it', { one: 'articolo', many: 'di articoli', other: 'articoli' }),
    amount: 'Importo',
    purpose: 'Causale',
    reference: 'Riferimento',
    referenceLine: (reference) => html`Riferimento: ${reference}`,
    questions: (address) => html`Ha domande? ${address}`,
    confirming: {
      heading: 'Confermi il pagamento presso la Sua banca',
      text: (merchant) =>
        html`La Sua banca Le chiede di confermare questo pagamento a ${merchant}. In seguito tornerà su questa pagina.`,
      until: (time) => html`Ora limite per la conferma: ${time}. Dopo tale ora il pagamento verrà annullato.`,
      stopped: 'Questa pagina non si aggiorna più da sola.',
      continue: 'Vai al sito della banca',
      another: 'Paga in un altro modo',
    },
    processing: {
      heading: 'Il Suo pagamento è in corso',
      text: (merchant) =>
        html`Questa pagina si aggiorna da sola. Può chiuderla: il pagamento prosegue e ${merchant} ne riceverà l’esito.`,
      changed: 'Lo stato del pagamento è cambiato. La pagina si sta caricando.',
      stopped:
        'Il pagamento è ancora in corso. Questa pagina non si aggiorna più da sola. Controlli di nuovo più tardi.',
      checkAgain: 'Controlla di nuovo',
    },
    completed: { heading: 'Pagamento completato', text: 'Grazie. Può chiudere questa pagina.' },
    expired: {
      heading: 'Questo link è scaduto',
      text: (merchant) => html`Non può più essere usato per pagare. Contatti ${merchant} per ricevere un nuovo link.`,
    },
    canceled: {
      heading: 'Questo link è stato annullato',
      text: (merchant) => html`Non può più essere usato per pagare. Contatti ${merchant} se si aspettava di pagare.`,
    },
    test: {
      heading: 'Questo link è solo di prova',
      text: (merchant) =>
        html`Un pagamento con questo link non trasferirebbe denaro, quindi non può essere usato per pagare. Contatti ${merchant} per ricevere un nuovo link.`,
    },
    unknown: {
      heading: 'Questo link non funziona',
      text: 'Verifichi di aver aperto il link completo del messaggio. In tal caso, chieda un nuovo link al mittente.',
    },
    unavailable: {
      heading: 'Questa pagina non è al momento disponibile',
      text: 'Il Suo link resta valido. Riprovi tra qualche minuto.',
    },
    tryAgain: 'Riprova',
    returnTo: (merchant) => html`Torna a ${merchant}`,
    notices: {
      failed: {
        title: 'Pagamento non avviato',
        text: 'Non è stato possibile avviare il pagamento. Non Le è stato addebitato nulla. Riprovi.',
      },
      stale: { title: 'Riprovi', text: 'Questa pagina non era più aggiornata, quindi non è stato inviato nulla.' },
      overloaded: {
        title: 'Riprovi tra qualche secondo',
        text: 'Al momento ci sono molti pagamenti in corso, quindi il Suo non è stato avviato. Non Le è stato addebitato nulla.',
      },
      not_canceled: {
        title: 'Pagamento non annullato',
        text: 'Il pagamento non è stato annullato. Riprovi tra qualche secondo.',
      },
      busy: { title: 'Attenda', text: 'È in corso un altro pagamento con questo link.' },
      unknown_token: {
        title: 'Riprovi',
        text: 'I dati della carta non sono stati riconosciuti. Non Le è stato addebitato nulla.',
      },
      too_many: { title: 'Troppi tentativi', text: 'Attenda un minuto, poi riprovi.' },
    },
    declined: 'Pagamento rifiutato',
    notCharged: 'Non Le è stato addebitato nulla.',
    declines: {
      insufficient_funds:
        'Il saldo del conto non è sufficiente per questo pagamento. Usi un’altra carta o un altro conto.',
      amount_limit_exceeded: 'L’importo supera un limite della carta. Usi un’altra carta o contatti la Sua banca.',
      expired_card: 'La carta è scaduta. Usi un’altra carta.',
      incorrect_cvc: 'Il codice di sicurezza non è corretto. Controlli i dati della carta e riprovi.',
      incorrect_number: 'Il numero della carta non è corretto. Controlli i dati della carta e riprovi.',
      token_invalid: 'Non è stato possibile usare i dati della carta. Li inserisca di nuovo.',
      authentication_required: 'La Sua banca richiede una conferma che qui non è possibile. Utilizzi un’altra carta.',
      authentication_failed:
        'Il pagamento non è stato confermato presso la Sua banca. Riprovi o utilizzi un’altra carta.',
      authentication_expired: 'Il pagamento non è stato confermato in tempo. Riprovi.',
      authentication_canceled: 'Il pagamento è stato annullato prima della conferma.',
      issuer_unavailable: 'La Sua banca al momento non risponde. Riprovi tra qualche minuto.',
      processing_error:
        'Si è verificato un errore presso il fornitore dei servizi di pagamento. Riprovi tra qualche minuto.',
      transaction_not_permitted: 'La carta non può essere usata per questo pagamento. Usi un’altra carta.',
      currency_not_supported: 'La carta non può essere usata in questa valuta. Usi un’altra carta.',
      other: 'La Sua banca non ha approvato il pagamento. Usi un’altra carta o contatti la Sua banca.',
    },
    card: {
      heading: 'Dati della carta',
      scriptNeeded: 'Per inserire i dati della carta serve JavaScript. Lo attivi per questa pagina e la ricarichi.',
      sending: 'Invio del pagamento…',
      unavailable: 'Al momento non è possibile inserire i dati della carta.',
      untrusted: (host) => html`Il modulo della carta è una pagina di ${host}.`,
      trusted: (merchant) =>
        html`I dati della Sua carta vengono inviati al fornitore dei servizi di pagamento tramite una connessione cifrata. ${merchant} non li vede.`,
    },
    sandbox: {
      heading: 'Pagamento di prova',
      note: 'Questa è una prova. Non viene trasferito denaro.',
      pay: (amount) => `Paga ${amount} con una carta di prova`,
      others: 'Altre carte di prova',
      groups: {
        approved: 'Approvati',
        confirmed: 'Confermato presso la banca',
        declined: 'Rifiutati',
        uncertain: 'Lenti o incerti',
      },
      methods: {
        mastercard: 'Mastercard, approvata',
        amex: 'Carta American Express, approvata',
        ach: 'Conto bancario, approvato',
        challenge: 'Carta da confermare presso la banca',
        challenge_slow_10: 'Carta approvata 10 secondi dopo la conferma',
        challenge_declined: 'Carta rifiutata dalla banca dopo la conferma',
        challenge_abandoned: 'Carta la cui banca non risponde mai',
        declined: 'Carta, rifiutata',
        insufficient_funds: 'Carta, rifiutata: fondi insufficienti',
        expired_card: 'Carta, rifiutata: scaduta',
        incorrect_cvc: 'Carta, rifiutata: codice di sicurezza errato',
        do_not_honor: 'Carta, rifiutata: non accettata dalla banca',
        lost_or_stolen: 'Carta, rifiutata: smarrita o rubata',
        suspected_fraud: 'Carta, rifiutata: sospetta frode',
        issuer_unavailable: 'Carta, rifiutata: banca non disponibile',
        processing_error: 'Carta, rifiutata: errore di elaborazione',
        slow_5000: 'Carta, approvata dopo 5 secondi',
        pending: 'Carta, in attesa e poi approvata',
        timeout_applied: 'Carta, approvata, e la risposta va persa',
        timeout_not_applied: 'Carta, non addebitata, e la risposta va persa',
        unknown_forever: 'Carta il cui esito resta sconosciuto',
        unreachable: 'Carta il cui fornitore non è raggiungibile',
      },
    },
  },
  cardPage: {
    title: 'Dati della carta',
    loading: 'Caricamento dei campi della carta…',
    pay: (amount) => `Paga ${amount}`,
    working: 'Attendere…',
    failed: 'Non è stato possibile verificare i dati della carta. Non Le è stato addebitato nulla. Riprovi.',
    notLoaded: {
      heading: 'Non è stato possibile caricare i campi della carta',
      text: 'Controlli la connessione e che nessun blocco impedisca gli script in questa pagina.',
    },
    tryAgain: 'Riprova',
    notHere: { heading: 'Qui non è possibile pagare', text: 'Apra di nuovo il link del Suo messaggio.' },
  },
  problemPage: {
    unreadable: ['La richiesta non è leggibile', 'Apra di nuovo il link così come l’ha ricevuto.'],
    missing: ['Questa pagina non esiste', 'Verifichi che il link sia completo.'],
    late: ['La richiesta non è arrivata in tempo', 'Apra di nuovo il link: la pagina mostra il Suo pagamento.'],
    limited: ['Troppe richieste', 'Apra di nuovo il link tra qualche minuto.'],
    unavailable: [
      'La pagina non è disponibile',
      'Apra di nuovo il link tra un minuto: la pagina mostra il Suo pagamento.',
    ],
    support: 'Per ricevere assistenza, indichi questo numero:',
  },
  messages: {
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
  },
} satisfies Texts
