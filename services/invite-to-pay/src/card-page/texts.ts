import type { Language } from '@payments/contracts/nouns/locale'

/** The texts of the card page in one language. The labels and errors of the fields themselves are texts of Stripe. */
export interface CardPageTexts {
  /** The reader of the language who has approved the texts. Null: no reader has yet. */
  readonly approvedBy: string | null
  readonly title: string
  readonly loading: string
  readonly pay: (amount: string) => string
  readonly working: string
  /** The card details could not be checked: the payer can try again. */
  readonly failed: string
  readonly notLoaded: { readonly heading: string; readonly text: string }
  readonly tryAgain: string
  /** The page is not in a frame of the pay page, or its ticket is no longer valid. */
  readonly notHere: { readonly heading: string; readonly text: string }
}

export const cardPageTexts: Readonly<Record<Language, CardPageTexts>> = {
  en: {
    approvedBy: 'maintainers',
    title: 'Card details',
    loading: 'The card fields are loading…',
    pay: (amount) => `Pay ${amount}`,
    working: 'Please wait…',
    failed: 'The card details could not be checked. You have not been charged. Please try again.',
    notLoaded: {
      heading: 'The card fields could not be loaded',
      text: 'Check your connection, and whether a blocker stops scripts on this page.',
    },
    tryAgain: 'Try again',
    notHere: { heading: 'Nothing can be paid here', text: 'Open the link from your message again.' },
  },
  de: {
    approvedBy: null,
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
  fr: {
    approvedBy: null,
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
  es: {
    approvedBy: null,
    title: 'Datos de la tarjeta',
    loading: 'Cargando los campos de la tarjeta…',
    pay: (amount) => `Pagar ${amount}`,
    working: 'Espere, por favor…',
    failed:
      'No se han podido comprobar los datos de la tarjeta. No se le ha cobrado nada. Inténtelo de nuevo, por favor.',
    notLoaded: {
      heading: 'No se han podido cargar los campos de la tarjeta',
      text: 'Compruebe su conexión y que ningún bloqueador impida los scripts en esta página.',
    },
    tryAgain: 'Intentar de nuevo',
    notHere: { heading: 'Aquí no se puede pagar nada', text: 'Vuelva a abrir el enlace de su mensaje.' },
  },
  it: {
    approvedBy: null,
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
  nl: {
    approvedBy: null,
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
  pl: {
    approvedBy: null,
    title: 'Dane karty',
    loading: 'Trwa ładowanie pól karty…',
    pay: (amount) => `Zapłać ${amount}`,
    working: 'Prosimy czekać…',
    failed: 'Nie udało się sprawdzić danych karty. Nie pobrano żadnych środków. Prosimy spróbować ponownie.',
    notLoaded: {
      heading: 'Nie udało się załadować pól karty',
      text: 'Prosimy sprawdzić połączenie i upewnić się, że żadna blokada nie zatrzymuje skryptów na tej stronie.',
    },
    tryAgain: 'Spróbuj ponownie',
    notHere: { heading: 'Tutaj nie można nic zapłacić', text: 'Prosimy ponownie otworzyć link z wiadomości.' },
  },
  pt: {
    approvedBy: null,
    title: 'Dados do cartão',
    loading: 'A carregar os campos do cartão…',
    pay: (amount) => `Pagar ${amount}`,
    working: 'Aguarde…',
    failed: 'Não foi possível verificar os dados do cartão. Nada foi cobrado. Tente novamente.',
    notLoaded: {
      heading: 'Não foi possível carregar os campos do cartão',
      text: 'Verifique a sua ligação e se algum bloqueador impede os scripts nesta página.',
    },
    tryAgain: 'Tentar novamente',
    notHere: { heading: 'Aqui não é possível pagar', text: 'Abra novamente o link da sua mensagem.' },
  },
  cs: {
    approvedBy: null,
    title: 'Údaje o kartě',
    loading: 'Načítají se pole karty…',
    pay: (amount) => `Zaplatit ${amount}`,
    working: 'Čekejte prosím…',
    failed: 'Údaje o kartě se nepodařilo ověřit. Nic vám nebylo účtováno. Zkuste to prosím znovu.',
    notLoaded: {
      heading: 'Pole karty se nepodařilo načíst',
      text: 'Zkontrolujte připojení a zda na této stránce něco neblokuje skripty.',
    },
    tryAgain: 'Zkusit znovu',
    notHere: { heading: 'Zde nelze nic zaplatit', text: 'Otevřete prosím znovu odkaz ze zprávy.' },
  },
  da: {
    approvedBy: null,
    title: 'Kortoplysninger',
    loading: 'Kortfelterne indlæses…',
    pay: (amount) => `Betal ${amount}`,
    working: 'Vent venligst…',
    failed: 'Kortoplysningerne kunne ikke kontrolleres. Der er ikke trukket noget beløb. Prøv igen.',
    notLoaded: {
      heading: 'Kortfelterne kunne ikke indlæses',
      text: 'Kontrollér din forbindelse, og om noget blokerer scripts på siden.',
    },
    tryAgain: 'Prøv igen',
    notHere: { heading: 'Der kan ikke betales her', text: 'Åbn linket fra din besked igen.' },
  },
  sv: {
    approvedBy: null,
    title: 'Kortuppgifter',
    loading: 'Kortfälten läses in…',
    pay: (amount) => `Betala ${amount}`,
    working: 'Vänta…',
    failed: 'Kortuppgifterna kunde inte kontrolleras. Inget belopp har dragits. Försök igen.',
    notLoaded: {
      heading: 'Kortfälten kunde inte läsas in',
      text: 'Kontrollera din anslutning och om något blockerar skript på sidan.',
    },
    tryAgain: 'Försök igen',
    notHere: { heading: 'Här går det inte att betala', text: 'Öppna länken i ditt meddelande igen.' },
  },
  ja: {
    approvedBy: null,
    title: 'カード情報',
    loading: 'カードの入力欄を読み込んでいます…',
    pay: (amount) => `${amount}を支払う`,
    working: 'お待ちください…',
    failed: 'カード情報を確認できませんでした。代金は請求されていません。もう一度お試しください。',
    notLoaded: {
      heading: 'カードの入力欄を読み込めませんでした',
      text: '接続と、このページのスクリプトがブロックされていないことをご確認ください。',
    },
    tryAgain: 'もう一度試す',
    notHere: { heading: 'ここではお支払いいただけません', text: 'メッセージのリンクをもう一度開いてください。' },
  },
}
