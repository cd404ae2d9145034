import { html } from '@payments/chassis/base/html'
import { countOf } from './plural.ts'
import type { Texts } from './texts.ts'

export const it = {
  tag: 'it',
  direction: 'ltr',
  name: 'Italiano',
  isApproved: false,
  language: 'Lingua',
  titles: {
    active: 'Pagamento',
    processing: 'Pagamento in corso',
    completed: 'Pagamento completato',
    expired: 'Link scaduto',
    canceled: 'Link annullato',
    test: 'Link di prova',
    unknown: 'Link non trovato',
    unavailable: 'Pagina non disponibile',
  },
  payTitle: (amount, merchant) => `Paga ${amount} a ${merchant}`,
  amountToPay: 'Importo da pagare',
  payBy: (time, zone) => html`Scadenza del pagamento: ${time} ${zone}`,
  greeting: (payer, merchant) => html`Gentile ${payer}, ${merchant} Le richiede questo pagamento.`,
  items: 'Articoli',
  itemCount: countOf('it', { one: 'articolo', many: 'di articoli', other: 'articoli' }),
  amount: 'Importo',
  purpose: 'Causale',
  reference: 'Riferimento',
  referenceLine: (reference) => html`Riferimento: ${reference}`,
  questions: (address) => html`Ha domande? ${address}`,
  processing: {
    heading: 'Il Suo pagamento è in corso',
    text: (merchant) =>
      html`Questa pagina si aggiorna da sola. Può chiuderla: il pagamento prosegue e ${merchant} ne riceverà l’esito.`,
    changed: 'L’esito del pagamento è disponibile. La pagina si sta caricando.',
    stopped: 'Il pagamento è ancora in corso. Questa pagina non si aggiorna più da sola. Controlli di nuovo più tardi.',
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
    authentication_required:
      'La Sua banca deve verificare la Sua identità. Riprovi e confermi il pagamento presso la Sua banca.',
    issuer_unavailable: 'La Sua banca al momento non risponde. Riprovi tra qualche minuto.',
    processing_error:
      'Si è verificato un errore presso il fornitore dei servizi di pagamento. Riprovi tra qualche minuto.',
    transaction_not_permitted: 'La carta non può essere usata per questo pagamento. Usi un’altra carta.',
    currency_not_supported: 'La carta non può essere usata in questa valuta. Usi un’altra carta.',
    other: 'La Sua banca non ha approvato il pagamento. Usi un’altra carta o contatti la Sua banca.',
  },
  card: {
    heading: 'Dati della carta',
    scriptNeeded: 'Per inserire la carta serve JavaScript. Lo attivi per questa pagina e ricarichi la pagina.',
    sending: 'Invio del pagamento…',
    unavailable: 'L’inserimento della carta non è al momento disponibile.',
    pageOf: (host) => html`Il modulo della carta è una pagina di ${host}.`,
    trusted: (merchant) =>
      html`I dati della Sua carta vengono inviati al fornitore dei servizi di pagamento tramite una connessione cifrata. ${merchant} non li vede.`,
  },
  sandbox: {
    heading: 'Pagamento di prova',
    note: 'Questa è una prova. Non viene trasferito denaro.',
    pay: (amount) => `Paga ${amount} con una carta di prova`,
    others: 'Altre carte di prova',
    groups: { approved: 'Approvati', declined: 'Rifiutati', uncertain: 'Lenti o incerti' },
    methods: {
      mastercard: 'Mastercard, approvata',
      amex: 'Carta American Express, approvata',
      ach: 'Conto bancario, approvato',
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
} satisfies Texts
