import type { Language } from '@payments/contracts/nouns/locale'

export type PaymentProblem = 'unreadable' | 'missing' | 'late' | 'limited' | 'unavailable'

type PaymentTexts = Readonly<Record<PaymentProblem, readonly [title: string, sentence: string]>> & {
  /** The reader of the language who has approved the texts. Null: no reader has yet. */
  readonly approvedBy: string | null
  /** Stands before the number of the request. */
  readonly support: string
}

/** The texts of problems in place of a pay page, by language. */
export const paymentTexts: Readonly<Record<Language, PaymentTexts>> = {
  en: {
    approvedBy: 'maintainers',
    unreadable: ['The request cannot be read', 'Open the link again, as it was sent to you.'],
    missing: ['There is no such page', 'Check that the link is complete.'],
    late: ['The request was not received in time', 'Open the link again: the page shows your payment.'],
    limited: ['Too many requests', 'Open the link again in a few minutes.'],
    unavailable: ['The page is not available', 'Open the link again in a minute: the page shows your payment.'],
    support: 'For support, send this number:',
  },
  de: {
    approvedBy: null,
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
  fr: {
    approvedBy: null,
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
  es: {
    approvedBy: null,
    unreadable: ['No se puede leer la solicitud', 'Vuelva a abrir el enlace tal como lo recibió.'],
    missing: ['Esta página no existe', 'Compruebe que el enlace está completo.'],
    late: ['La solicitud no se recibió a tiempo', 'Vuelva a abrir el enlace: la página muestra su pago.'],
    limited: ['Demasiadas solicitudes', 'Vuelva a abrir el enlace dentro de unos minutos.'],
    unavailable: [
      'La página no está disponible',
      'Vuelva a abrir el enlace dentro de un minuto: la página muestra su pago.',
    ],
    support: 'Para recibir ayuda, indique este número:',
  },
  it: {
    approvedBy: null,
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
  nl: {
    approvedBy: null,
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
  pl: {
    approvedBy: null,
    unreadable: ['Nie można odczytać żądania', 'Prosimy otworzyć link ponownie, tak jak został przesłany.'],
    missing: ['Ta strona nie istnieje', 'Prosimy sprawdzić, czy link jest kompletny.'],
    late: ['Żądanie nie dotarło na czas', 'Prosimy otworzyć link ponownie: strona pokaże płatność.'],
    limited: ['Zbyt wiele żądań', 'Prosimy otworzyć link ponownie za kilka minut.'],
    unavailable: ['Strona jest niedostępna', 'Prosimy otworzyć link ponownie za minutę: strona pokaże płatność.'],
    support: 'Aby uzyskać pomoc, prosimy podać ten numer:',
  },
  pt: {
    approvedBy: null,
    unreadable: ['Não é possível ler o pedido', 'Abra novamente o link tal como o recebeu.'],
    missing: ['Esta página não existe', 'Verifique se o link está completo.'],
    late: ['O pedido não foi recebido a tempo', 'Abra novamente o link: a página mostra o seu pagamento.'],
    limited: ['Demasiados pedidos', 'Abra novamente o link dentro de alguns minutos.'],
    unavailable: [
      'A página está indisponível',
      'Abra novamente o link dentro de um minuto: a página mostra o seu pagamento.',
    ],
    support: 'Para obter ajuda, indique este número:',
  },
  cs: {
    approvedBy: null,
    unreadable: ['Požadavek nelze přečíst', 'Otevřete odkaz znovu tak, jak jste jej dostali.'],
    missing: ['Tato stránka neexistuje', 'Zkontrolujte, zda je odkaz úplný.'],
    late: ['Požadavek nebyl přijat včas', 'Otevřete odkaz znovu: stránka zobrazí vaši platbu.'],
    limited: ['Příliš mnoho požadavků', 'Otevřete odkaz znovu za několik minut.'],
    unavailable: ['Stránka není dostupná', 'Otevřete odkaz znovu za minutu: stránka zobrazí vaši platbu.'],
    support: 'Při dotazech uveďte toto číslo:',
  },
  da: {
    approvedBy: null,
    unreadable: ['Anmodningen kan ikke læses', 'Åbn linket igen, som du modtog det.'],
    missing: ['Siden findes ikke', 'Kontrollér, at linket er komplet.'],
    late: ['Anmodningen blev ikke modtaget i tide', 'Åbn linket igen: Siden viser din betaling.'],
    limited: ['For mange anmodninger', 'Åbn linket igen om nogle minutter.'],
    unavailable: ['Siden er ikke tilgængelig', 'Åbn linket igen om et minut: Siden viser din betaling.'],
    support: 'Oplys dette nummer, hvis du har brug for hjælp:',
  },
  sv: {
    approvedBy: null,
    unreadable: ['Begäran kan inte läsas', 'Öppna länken igen, så som du fick den.'],
    missing: ['Sidan finns inte', 'Kontrollera att länken är fullständig.'],
    late: ['Begäran togs inte emot i tid', 'Öppna länken igen: sidan visar din betalning.'],
    limited: ['För många förfrågningar', 'Öppna länken igen om några minuter.'],
    unavailable: ['Sidan är inte tillgänglig', 'Öppna länken igen om en minut: sidan visar din betalning.'],
    support: 'Uppge det här numret om du behöver hjälp:',
  },
  ja: {
    approvedBy: null,
    unreadable: ['リクエストを読み取れません', '受け取ったリンクをそのままもう一度開いてください。'],
    missing: ['このページは存在しません', 'リンクがすべて含まれているかご確認ください。'],
    late: ['リクエストを時間内に受信できませんでした', 'リンクをもう一度開くと、お支払いの状況が表示されます。'],
    limited: ['リクエストが多すぎます', '数分後にリンクをもう一度開いてください。'],
    unavailable: ['ページを表示できません', '1分後にリンクをもう一度開くと、お支払いの状況が表示されます。'],
    support: 'お問い合わせの際は、この番号をお知らせください：',
  },
}
