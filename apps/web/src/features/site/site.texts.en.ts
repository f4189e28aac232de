// The English of site.texts.ts. What visitors of every language read has all of its languages there.
import type { English } from '../../lib/texts/english.ts'
import type { siteTexts as Chinese } from './site.texts.ts'

export { documentTexts, footTexts, languageOfVisitor, type SiteLanguage } from './site.texts.ts'

export const siteTexts: English<typeof Chinese> = {
  home: 'Home',
  back: 'Back',
  retry: 'Retry',
  notFound: {
    title: '404',
    words: 'The page does not exist, or this account may not open it.',
    english: 'The webmaster said that you can not enter this page...',
    asked: 'Address',
  },
  downloadPage: {
    title: 'Get the Voltkeep app',
    hint: 'Alarms, versions and remote actions on your phone, in front of the cabinet.',
    android: 'Download',
    reading: 'Looking up the address…',
    missing: 'There is no download address',
    missingHint: 'The administrator has not set one.',
    consoleCode: 'QR code of the console',
    console: 'Scan to open the console in the browser of your phone',
    open: 'Open console',
    code: 'QR code of the app',
    scan: 'or scan to download on your phone',
    wechat: 'In WeChat, tap the upper right corner and open it in your browser.',
  },
  picture: {
    title: 'Shared picture',
    reading: 'Loading…',
    until: (time) => `valid until ${time}`,
    none: 'Nothing to show',
    noneHint:
      'The link is incomplete: copy it as a whole and open it again; if that fails, ask for it to be shared again.',
    refusedHint: 'Ask for it to be shared again.',
    broken: 'The picture could not be loaded',
    brokenHint: 'Check your network and try again.',
  },
}
