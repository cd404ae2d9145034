import { html } from '@payments/chassis/base/html'
import { createCountFormat } from './plural.ts'
import type { Texts } from './texts.ts'

/** Names follow a noun, because the case of the noun is then the only one that changes. */
export const pl = {
  tag: 'pl',
  direction: 'ltr',
  name: 'Polski',
  approvedBy: null,
  language: 'Język',
  titles: {
    active: 'Płatność',
    confirming: 'Potwierdzenie płatności',
    processing: 'Płatność w toku',
    completed: 'Płatność zakończona',
    expired: 'Link wygasł',
    canceled: 'Link anulowany',
    test: 'Link testowy',
    unknown: 'Nie znaleziono linku',
    unavailable: 'Strona niedostępna',
  },
  payTitle: (amount, merchant) => `Płatność ${amount}, odbiorca: ${merchant}`,
  amountToPay: 'Kwota do zapłaty',
  payBy: (time, zone) => html`Termin płatności: ${time} ${zone}`,
  greeting: (payer, merchant) => html`Dzień dobry, ${payer}! O tę płatność prosi ${merchant}.`,
  items: 'Pozycje',
  itemCount: createCountFormat('pl', { one: 'pozycja', few: 'pozycje', many: 'pozycji', other: 'pozycji' }),
  amount: 'Kwota',
  purpose: 'Tytuł płatności',
  reference: 'Numer referencyjny',
  referenceLine: (reference) => html`Numer referencyjny: ${reference}`,
  questions: (address) => html`W razie pytań prosimy o kontakt: ${address}`,
  confirming: {
    heading: 'Prosimy potwierdzić płatność w banku',
    text: (merchant) =>
      html`Bank prosi o potwierdzenie tej płatności. Odbiorca: ${merchant}. Potem nastąpi powrót na tę stronę.`,
    until: (time) => html`Płatność można potwierdzić do godz. ${time}. Potem zostanie anulowana.`,
    stopped: 'Ta strona nie odświeża się już sama.',
    continue: 'Przejdź do banku',
    another: 'Zapłać w inny sposób',
  },
  processing: {
    heading: 'Płatność jest w toku',
    text: (merchant) =>
      html`Ta strona odświeża się sama. Można ją zamknąć: płatność będzie kontynuowana, a odbiorca (${merchant}) otrzyma informację o wyniku.`,
    changed: 'Stan płatności się zmienił. Trwa ładowanie strony.',
    stopped: 'Płatność jest nadal w toku. Ta strona nie odświeża się już sama. Prosimy sprawdzić ponownie później.',
    checkAgain: 'Sprawdź ponownie',
  },
  completed: { heading: 'Płatność zakończona', text: 'Dziękujemy. Można zamknąć tę stronę.' },
  expired: {
    heading: 'Ten link wygasł',
    text: (merchant) =>
      html`Nie można już nim zapłacić. Prosimy skontaktować się z odbiorcą płatności (${merchant}), aby otrzymać nowy link.`,
  },
  canceled: {
    heading: 'Ten link został anulowany',
    text: (merchant) =>
      html`Nie można już nim zapłacić. Jeśli płatność miała się odbyć, prosimy skontaktować się z odbiorcą płatności (${merchant}).`,
  },
  test: {
    heading: 'Ten link służy do testów',
    text: (merchant) =>
      html`Płatność tym linkiem nie przekazałaby pieniędzy, dlatego nie można nim zapłacić. Prosimy skontaktować się z odbiorcą płatności (${merchant}), aby otrzymać nowy link.`,
  },
  unknown: {
    heading: 'Ten link nie działa',
    text: 'Prosimy sprawdzić, czy otwarto cały link z wiadomości. Jeśli tak, prosimy zwrócić się do nadawcy o nowy link.',
  },
  unavailable: {
    heading: 'Ta strona jest chwilowo niedostępna',
    text: 'Link pozostaje ważny. Prosimy spróbować ponownie za kilka minut.',
  },
  tryAgain: 'Spróbuj ponownie',
  returnTo: (merchant) => html`Wróć na stronę odbiorcy: ${merchant}`,
  notices: {
    failed: {
      title: 'Płatność nie została rozpoczęta',
      text: 'Nie udało się rozpocząć płatności. Nie pobrano żadnych środków. Prosimy spróbować ponownie.',
    },
    stale: {
      title: 'Prosimy spróbować ponownie',
      text: 'Ta strona była już nieaktualna, dlatego nic nie zostało wysłane.',
    },
    overloaded: {
      title: 'Prosimy spróbować ponownie za kilka sekund',
      text: 'W tej chwili trwa wiele płatności, dlatego ta nie została rozpoczęta. Nie pobrano żadnych środków.',
    },
    not_canceled: {
      title: 'Płatność nie została anulowana',
      text: 'Płatność nie została anulowana. Prosimy spróbować ponownie za kilka sekund.',
    },
    busy: { title: 'Prosimy czekać', text: 'Trwa już inna płatność tym linkiem.' },
    unknown_token: {
      title: 'Prosimy spróbować ponownie',
      text: 'Dane karty nie zostały rozpoznane. Nie pobrano żadnych środków.',
    },
    too_many: { title: 'Zbyt wiele prób', text: 'Prosimy odczekać minutę i spróbować ponownie.' },
  },
  declined: 'Płatność odrzucona',
  notCharged: 'Nie pobrano żadnych środków.',
  declines: {
    insufficient_funds: 'Na koncie jest za mało środków na tę płatność. Prosimy użyć innej karty lub innego konta.',
    amount_limit_exceeded: 'Kwota przekracza limit karty. Prosimy użyć innej karty lub skontaktować się z bankiem.',
    expired_card: 'Karta straciła ważność. Prosimy użyć innej karty.',
    incorrect_cvc: 'Kod zabezpieczający jest nieprawidłowy. Prosimy sprawdzić dane karty i spróbować ponownie.',
    incorrect_number: 'Numer karty jest nieprawidłowy. Prosimy sprawdzić dane karty i spróbować ponownie.',
    token_invalid: 'Nie można użyć tych danych karty. Prosimy wprowadzić je jeszcze raz.',
    authentication_required: 'Bank wymaga potwierdzenia, które nie jest tutaj możliwe. Prosimy użyć innej karty.',
    authentication_failed:
      'Płatność nie została potwierdzona w banku. Prosimy spróbować ponownie lub użyć innej karty.',
    authentication_expired: 'Płatność nie została potwierdzona na czas. Prosimy spróbować ponownie.',
    authentication_canceled: 'Płatność została anulowana przed potwierdzeniem.',
    issuer_unavailable: 'Bank chwilowo nie odpowiada. Prosimy spróbować ponownie za kilka minut.',
    processing_error: 'U dostawcy płatności wystąpił błąd. Prosimy spróbować ponownie za kilka minut.',
    transaction_not_permitted: 'Tej karty nie można użyć do tej płatności. Prosimy użyć innej karty.',
    currency_not_supported: 'Tej karty nie można użyć w tej walucie. Prosimy użyć innej karty.',
    other: 'Bank nie zatwierdził płatności. Prosimy użyć innej karty lub skontaktować się z bankiem.',
  },
  card: {
    heading: 'Dane karty',
    scriptNeeded: 'Wprowadzenie karty wymaga JavaScriptu. Prosimy włączyć go dla tej strony i załadować ją ponownie.',
    sending: 'Wysyłanie płatności…',
    unavailable: 'Wprowadzenie karty jest chwilowo niemożliwe.',
    untrusted: (host) => html`Formularz karty to strona serwisu ${host}.`,
    trusted: (merchant) =>
      html`Dane karty trafiają do dostawcy płatności szyfrowanym połączeniem. Odbiorca płatności (${merchant}) ich nie widzi.`,
  },
  sandbox: {
    heading: 'Płatność testowa',
    note: 'To jest test. Żadne pieniądze nie są przekazywane.',
    pay: (amount) => `Zapłać ${amount} kartą testową`,
    others: 'Inne karty testowe',
    groups: {
      approved: 'Zatwierdzone',
      confirmed: 'Potwierdzone w banku',
      declined: 'Odrzucone',
      uncertain: 'Powolne lub niepewne',
    },
    methods: {
      mastercard: 'Mastercard, zatwierdzona',
      amex: 'Karta American Express, zatwierdzona',
      ach: 'Konto bankowe, zatwierdzone',
      challenge: 'Karta wymagająca potwierdzenia w banku',
      challenge_slow_10: 'Karta zaakceptowana 10 sekund po potwierdzeniu',
      challenge_declined: 'Karta odrzucona przez bank po potwierdzeniu',
      challenge_abandoned: 'Karta, której bank nigdy nie odpowiada',
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
