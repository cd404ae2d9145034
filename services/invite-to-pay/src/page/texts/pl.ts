import { html } from '@payments/chassis/base/html'
import { countOf } from './plural.ts'
import type { Texts } from './texts.ts'

/** Names follow a noun, because the case of the noun is then the only one that changes. */
export const pl = {
  tag: 'pl',
  direction: 'ltr',
  name: 'Polski',
  isApproved: false,
  language: 'Język',
  titles: {
    active: 'Płatność',
    processing: 'Płatność w toku',
    completed: 'Płatność zakończona',
    expired: 'Link wygasł',
    canceled: 'Link anulowany',
    test: 'Link testowy',
    unknown: 'Nie znaleziono linku',
    unavailable: 'Strona niedostępna',
  },
  payTitle: (amount, merchant) => `Zapłać ${amount}, odbiorca: ${merchant}`,
  amountToPay: 'Kwota do zapłaty',
  payBy: (time, zone) => html`Termin płatności: ${time} ${zone}`,
  greeting: (payer, merchant) => html`Dzień dobry, ${payer}! O tę płatność prosi ${merchant}.`,
  items: 'Pozycje',
  itemCount: countOf('pl', { one: 'pozycja', few: 'pozycje', many: 'pozycji', other: 'pozycji' }),
  amount: 'Kwota',
  purpose: 'Tytuł płatności',
  reference: 'Numer referencyjny',
  referenceLine: (reference) => html`Numer referencyjny: ${reference}`,
  questions: (address) => html`Masz pytania? ${address}`,
  processing: {
    heading: 'Płatność jest w toku',
    text: (merchant) =>
      html`Ta strona odświeża się sama. Możesz ją zamknąć: płatność będzie kontynuowana, a odbiorca (${merchant}) otrzyma informację o wyniku.`,
    changed: 'Wynik płatności jest już znany. Trwa ładowanie strony.',
    stopped: 'Płatność jest nadal w toku. Ta strona nie odświeża się już sama. Sprawdź ponownie później.',
    checkAgain: 'Sprawdź ponownie',
  },
  completed: { heading: 'Płatność zakończona', text: 'Dziękujemy. Możesz zamknąć tę stronę.' },
  expired: {
    heading: 'Ten link wygasł',
    text: (merchant) =>
      html`Nie można już nim zapłacić. Skontaktuj się z odbiorcą płatności (${merchant}), aby otrzymać nowy link.`,
  },
  canceled: {
    heading: 'Ten link został anulowany',
    text: (merchant) =>
      html`Nie można już nim zapłacić. Jeśli płatność miała się odbyć, skontaktuj się z odbiorcą płatności (${merchant}).`,
  },
  test: {
    heading: 'Ten link służy do testów',
    text: (merchant) =>
      html`Płatność tym linkiem nie przekazałaby pieniędzy, dlatego nie można nim zapłacić. Skontaktuj się z odbiorcą płatności (${merchant}), aby otrzymać nowy link.`,
  },
  unknown: {
    heading: 'Ten link nie działa',
    text: 'Sprawdź, czy otwarto cały link z wiadomości. Jeśli tak, poproś nadawcę o nowy link.',
  },
  unavailable: {
    heading: 'Ta strona jest chwilowo niedostępna',
    text: 'Link pozostaje ważny. Spróbuj ponownie za kilka minut.',
  },
  tryAgain: 'Spróbuj ponownie',
  returnTo: (merchant) => html`Wróć na stronę odbiorcy: ${merchant}`,
  notices: {
    failed: {
      title: 'Płatność nie została rozpoczęta',
      text: 'Nie udało się rozpocząć płatności. Nie pobrano żadnych środków. Spróbuj ponownie.',
    },
    stale: { title: 'Spróbuj ponownie', text: 'Ta strona była już nieaktualna, dlatego nic nie zostało wysłane.' },
    overloaded: {
      title: 'Spróbuj ponownie za kilka sekund',
      text: 'W tej chwili trwa wiele płatności, dlatego ta nie została rozpoczęta. Nie pobrano żadnych środków.',
    },
    busy: { title: 'Proszę czekać', text: 'Trwa już inna płatność tym linkiem.' },
    unknown_token: {
      title: 'Spróbuj ponownie',
      text: 'Dane karty nie zostały rozpoznane. Nie pobrano żadnych środków.',
    },
    too_many: { title: 'Zbyt wiele prób', text: 'Odczekaj minutę i spróbuj ponownie.' },
  },
  declined: 'Płatność odrzucona',
  notCharged: 'Nie pobrano żadnych środków.',
  declines: {
    insufficient_funds: 'Na koncie jest za mało środków na tę płatność. Użyj innej karty lub innego konta.',
    amount_limit_exceeded: 'Kwota przekracza limit karty. Użyj innej karty lub skontaktuj się ze swoim bankiem.',
    expired_card: 'Karta straciła ważność. Użyj innej karty.',
    incorrect_cvc: 'Kod zabezpieczający jest nieprawidłowy. Sprawdź dane karty i spróbuj ponownie.',
    incorrect_number: 'Numer karty jest nieprawidłowy. Sprawdź dane karty i spróbuj ponownie.',
    token_invalid: 'Nie można użyć tych danych karty. Wprowadź je jeszcze raz.',
    authentication_required:
      'Twój bank musi potwierdzić Twoją tożsamość. Spróbuj ponownie i potwierdź płatność w banku.',
    issuer_unavailable: 'Twój bank chwilowo nie odpowiada. Spróbuj ponownie za kilka minut.',
    processing_error: 'U dostawcy płatności wystąpił błąd. Spróbuj ponownie za kilka minut.',
    transaction_not_permitted: 'Tej karty nie można użyć do tej płatności. Użyj innej karty.',
    currency_not_supported: 'Tej karty nie można użyć w tej walucie. Użyj innej karty.',
    other: 'Twój bank nie zatwierdził płatności. Użyj innej karty lub skontaktuj się ze swoim bankiem.',
  },
  card: {
    heading: 'Dane karty',
    scriptNeeded: 'Wprowadzenie karty wymaga JavaScriptu. Włącz go dla tej strony i załaduj ją ponownie.',
    sending: 'Wysyłanie płatności…',
    unavailable: 'Wprowadzenie karty jest chwilowo niemożliwe.',
    pageOf: (host) => html`Formularz karty to strona serwisu ${host}.`,
    trusted: (merchant) =>
      html`Dane karty trafiają do dostawcy płatności szyfrowanym połączeniem. Odbiorca płatności (${merchant}) ich nie widzi.`,
  },
  sandbox: {
    heading: 'Płatność testowa',
    note: 'To jest test. Żadne pieniądze nie są przekazywane.',
    pay: (amount) => `Zapłać ${amount} kartą testową`,
    others: 'Inne karty testowe',
    groups: { approved: 'Zatwierdzone', declined: 'Odrzucone', uncertain: 'Powolne lub niepewne' },
    methods: {
      mastercard: 'Mastercard, zatwierdzona',
      amex: 'Karta American Express, zatwierdzona',
      ach: 'Konto bankowe, zatwierdzone',
      declined: 'Karta, odrzucona',
      insufficient_funds: 'Karta, odrzucona: brak środków',
      expired_card: 'Karta, odrzucona: utrata ważności',
      incorrect_cvc: 'Karta, odrzucona: błędny kod zabezpieczający',
      do_not_honor: 'Karta, odrzucona: nieakceptowana przez bank',
      lost_or_stolen: 'Karta, odrzucona: zgubiona lub skradziona',
      suspected_fraud: 'Karta, odrzucona: podejrzenie oszustwa',
      issuer_unavailable: 'Karta, odrzucona: bank niedostępny',
      processing_error: 'Karta, odrzucona: błąd przetwarzania',
      slow_5000: 'Karta, zatwierdzona po 5 sekundach',
      pending: 'Karta, oczekująca, potem zatwierdzona',
      timeout_applied: 'Karta, zatwierdzona, a odpowiedź ginie',
      timeout_not_applied: 'Karta, nieobciążona, a odpowiedź ginie',
      unknown_forever: 'Karta, której wynik pozostaje nieznany',
      unreachable: 'Karta, której dostawca jest nieosiągalny',
    },
  },
} satisfies Texts
