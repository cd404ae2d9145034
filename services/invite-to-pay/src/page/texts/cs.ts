import { html } from '@payments/chassis/base/html'
import { countOf } from './plural.ts'
import type { Texts } from './texts.ts'

/** Names follow a noun, because the case of the noun is then the only one that changes. */
export const cs = {
  tag: 'cs',
  direction: 'ltr',
  name: 'Čeština',
  isApproved: false,
  language: 'Jazyk',
  titles: {
    active: 'Platba',
    processing: 'Platba se zpracovává',
    completed: 'Platba dokončena',
    expired: 'Platnost odkazu vypršela',
    canceled: 'Odkaz zrušen',
    test: 'Testovací odkaz',
    unknown: 'Odkaz nenalezen',
    unavailable: 'Stránka není dostupná',
  },
  payTitle: (amount, merchant) => `Zaplatit ${amount}, příjemce: ${merchant}`,
  amountToPay: 'Částka k zaplacení',
  payBy: (time, zone) => html`Zaplaťte do ${time} ${zone}`,
  greeting: (payer, merchant) => html`Dobrý den, ${payer}, o tuto platbu vás žádá ${merchant}.`,
  items: 'Položky',
  itemCount: countOf('cs', { one: 'položka', few: 'položky', many: 'položky', other: 'položek' }),
  amount: 'Částka',
  purpose: 'Účel platby',
  reference: 'Reference',
  referenceLine: (reference) => html`Reference: ${reference}`,
  questions: (address) => html`Máte dotazy? ${address}`,
  processing: {
    heading: 'Vaše platba se zpracovává',
    text: (merchant) =>
      html`Tato stránka se sama aktualizuje. Můžete ji zavřít: platba pokračuje a příjemce (${merchant}) se dozví výsledek.`,
    changed: 'Výsledek platby je znám. Stránka se načítá.',
    stopped: 'Platba se stále zpracovává. Tato stránka se již sama neaktualizuje. Zkontrolujte ji později.',
    checkAgain: 'Zkontrolovat znovu',
  },
  completed: { heading: 'Platba dokončena', text: 'Děkujeme. Tuto stránku můžete zavřít.' },
  expired: {
    heading: 'Platnost tohoto odkazu vypršela',
    text: (merchant) => html`Nelze s ním již platit. O nový odkaz požádejte příjemce platby (${merchant}).`,
  },
  canceled: {
    heading: 'Tento odkaz byl zrušen',
    text: (merchant) =>
      html`Nelze s ním již platit. Pokud jste platbu očekávali, obraťte se na příjemce platby (${merchant}).`,
  },
  test: {
    heading: 'Tento odkaz slouží k testování',
    text: (merchant) =>
      html`Platba tímto odkazem by nepřevedla žádné peníze, proto s ním nelze platit. O nový odkaz požádejte příjemce platby (${merchant}).`,
  },
  unknown: {
    heading: 'Tento odkaz nefunguje',
    text: 'Zkontrolujte, zda jste otevřeli celý odkaz ze zprávy. Pokud ano, požádejte odesílatele o nový odkaz.',
  },
  unavailable: {
    heading: 'Tato stránka není momentálně dostupná',
    text: 'Váš odkaz zůstává platný. Zkuste to znovu za několik minut.',
  },
  tryAgain: 'Zkusit znovu',
  returnTo: (merchant) => html`Zpět na stránky příjemce: ${merchant}`,
  notices: {
    failed: {
      title: 'Platba nebyla zahájena',
      text: 'Platbu se nepodařilo zahájit. Nic vám nebylo účtováno. Zkuste to prosím znovu.',
    },
    stale: { title: 'Zkuste to prosím znovu', text: 'Tato stránka již nebyla aktuální, proto nebylo nic odesláno.' },
    overloaded: {
      title: 'Zkuste to prosím znovu za několik sekund',
      text: 'Právě probíhá mnoho plateb, proto vaše nebyla zahájena. Nic vám nebylo účtováno.',
    },
    busy: { title: 'Čekejte prosím', text: 'Probíhá jiná platba s tímto odkazem.' },
    unknown_token: {
      title: 'Zkuste to prosím znovu',
      text: 'Údaje o kartě nebyly rozpoznány. Nic vám nebylo účtováno.',
    },
    too_many: { title: 'Příliš mnoho pokusů', text: 'Počkejte minutu a zkuste to znovu.' },
  },
  declined: 'Platba zamítnuta',
  notCharged: 'Nic vám nebylo účtováno.',
  declines: {
    insufficient_funds: 'Na účtu není pro tuto platbu dostatek prostředků. Použijte jinou kartu nebo účet.',
    amount_limit_exceeded: 'Částka překračuje limit karty. Použijte jinou kartu nebo se obraťte na svou banku.',
    expired_card: 'Platnost karty vypršela. Použijte jinou kartu.',
    incorrect_cvc: 'Bezpečnostní kód není správný. Zkontrolujte údaje o kartě a zkuste to znovu.',
    incorrect_number: 'Číslo karty není správné. Zkontrolujte údaje o kartě a zkuste to znovu.',
    token_invalid: 'Údaje o kartě se nepodařilo použít. Zadejte je prosím znovu.',
    authentication_required:
      'Vaše banka potřebuje ověřit, že jste to vy. Zkuste to znovu a potvrďte platbu ve své bance.',
    issuer_unavailable: 'Vaše banka momentálně neodpovídá. Zkuste to znovu za několik minut.',
    processing_error: 'U poskytovatele plateb došlo k chybě. Zkuste to znovu za několik minut.',
    transaction_not_permitted: 'Kartu nelze pro tuto platbu použít. Použijte jinou kartu.',
    currency_not_supported: 'Kartu nelze v této měně použít. Použijte jinou kartu.',
    other: 'Vaše banka platbu neschválila. Použijte jinou kartu nebo se obraťte na svou banku.',
  },
  card: {
    heading: 'Údaje o kartě',
    scriptNeeded: 'Zadání karty vyžaduje JavaScript. Povolte jej pro tuto stránku a načtěte ji znovu.',
    sending: 'Platba se odesílá…',
    unavailable: 'Zadání karty není momentálně dostupné.',
    pageOf: (host) => html`Formulář karty je stránka serveru ${host}.`,
    trusted: (merchant) =>
      html`Údaje o vaší kartě se odesílají poskytovateli plateb šifrovaným spojením. Příjemce platby (${merchant}) je nevidí.`,
  },
  sandbox: {
    heading: 'Testovací platba',
    note: 'Toto je test. Nepřevádějí se žádné peníze.',
    pay: (amount) => `Zaplatit ${amount} testovací kartou`,
    others: 'Další testovací karty',
    groups: { approved: 'Schválené', declined: 'Zamítnuté', uncertain: 'Pomalé nebo nejisté' },
    methods: {
      mastercard: 'Mastercard, schválená',
      amex: 'Karta American Express, schválená',
      ach: 'Bankovní účet, schválený',
      declined: 'Karta, zamítnutá',
      insufficient_funds: 'Karta, zamítnutá: nedostatek prostředků',
      expired_card: 'Karta, zamítnutá: prošlá platnost',
      incorrect_cvc: 'Karta, zamítnutá: nesprávný bezpečnostní kód',
      do_not_honor: 'Karta, zamítnutá: bankou nepřijatá',
      lost_or_stolen: 'Karta, zamítnutá: ztracená nebo odcizená',
      suspected_fraud: 'Karta, zamítnutá: podezření na podvod',
      issuer_unavailable: 'Karta, zamítnutá: banka nedostupná',
      processing_error: 'Karta, zamítnutá: chyba zpracování',
      slow_5000: 'Karta, schválená po 5 sekundách',
      pending: 'Karta, čekající a poté schválená',
      timeout_applied: 'Karta, schválená, a odpověď se ztratí',
      timeout_not_applied: 'Karta, nezatížená, a odpověď se ztratí',
      unknown_forever: 'Karta, jejíž výsledek zůstane neznámý',
      unreachable: 'Karta, jejíž poskytovatel není dosažitelný',
    },
  },
} satisfies Texts
