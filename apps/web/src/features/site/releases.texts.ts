// Texts of the public page of release notes, in its languages.
import type { SiteLanguage } from './site.texts.ts'

interface ReleaseTexts {
  language: string
  languages: string
  title: string
  hint: string
  none: string
  reading: string
  failed: string
  retry: string
  more: string
  /** Part types by code. Types that an installation has added keep the names of the installation. */
  parts: Readonly<Record<string, string>>
  /** Device classes by code. In Chinese, the installation's own names are used. */
  devices: Readonly<Record<string, string>>
}

/** Written in each language, so that the visitor needs no translation. */
export const releaseTexts: Record<SiteLanguage, ReleaseTexts> = {
  zh: {
    language: '中文',
    languages: '语言',
    title: '版本更新',
    hint: '各部件正式发布的软件版本及更新内容，最新的在前。',
    none: '还没有正式发布的版本。',
    reading: '正在读取…',
    failed: '读取失败',
    retry: '重试',
    more: '更早的版本',
    parts: {},
    devices: {},
  },
  en: {
    language: 'English',
    languages: 'Language',
    title: "What's new",
    hint: 'Released software versions of each part and what changed in them, newest first.',
    none: 'No version has been released yet.',
    reading: 'Loading…',
    failed: 'Could not be loaded',
    retry: 'Try again',
    more: 'Earlier versions',
    parts: {
      PART_TYPE_EC_MASTER: 'Main control',
      PART_TYPE_EC_BIN: 'Bin control',
      PART_TYPE_EC_CABINET: 'Cabinet control',
      PART_TYPE_EC_POWER: 'Power supply',
      PART_TYPE_EC_FIRE: 'Fire protection',
      PART_TYPE_EC_SYSTEM_CHECK: 'System check',
      WIFI: 'Wi-Fi module',
      MPPT: 'MPPT controller',
      BMS: 'Battery management',
      SC: 'Storage controller',
      ADS: 'Advertising screen',
    },
    devices: { EC: 'Battery-swap cabinet', BAT: 'Battery', ESS: 'Energy storage' },
  },
  de: {
    language: 'Deutsch',
    languages: 'Sprache',
    title: 'Neuerungen',
    hint: 'Freigegebene Softwareversionen der einzelnen Komponenten und ihre Änderungen, die neueste zuerst.',
    none: 'Es wurde noch keine Version freigegeben.',
    reading: 'Wird geladen…',
    failed: 'Laden fehlgeschlagen',
    retry: 'Erneut versuchen',
    more: 'Frühere Versionen',
    parts: {
      PART_TYPE_EC_MASTER: 'Hauptsteuerung',
      PART_TYPE_EC_BIN: 'Fachsteuerung',
      PART_TYPE_EC_CABINET: 'Schranksteuerung',
      PART_TYPE_EC_POWER: 'Stromversorgung',
      PART_TYPE_EC_FIRE: 'Brandschutz',
      PART_TYPE_EC_SYSTEM_CHECK: 'Systemprüfung',
      WIFI: 'WLAN-Modul',
      MPPT: 'MPPT-Regler',
      BMS: 'Batteriemanagement',
      SC: 'Speichersteuerung',
      ADS: 'Werbebildschirm',
    },
    devices: { EC: 'Batteriewechselschrank', BAT: 'Batterie', ESS: 'Energiespeicher' },
  },
  fr: {
    language: 'Français',
    languages: 'Langue',
    title: 'Nouveautés',
    hint: 'Versions logicielles publiées de chaque composant et leurs changements, la plus récente d’abord.',
    none: 'Aucune version n’a encore été publiée.',
    reading: 'Chargement…',
    failed: 'Échec du chargement',
    retry: 'Réessayer',
    more: 'Versions antérieures',
    parts: {
      PART_TYPE_EC_MASTER: 'Commande principale',
      PART_TYPE_EC_BIN: 'Commande de casier',
      PART_TYPE_EC_CABINET: 'Commande d’armoire',
      PART_TYPE_EC_POWER: 'Alimentation',
      PART_TYPE_EC_FIRE: 'Protection incendie',
      PART_TYPE_EC_SYSTEM_CHECK: 'Contrôle du système',
      WIFI: 'Module Wi-Fi',
      MPPT: 'Régulateur MPPT',
      BMS: 'Gestion de batterie',
      SC: 'Contrôleur de stockage',
      ADS: 'Écran publicitaire',
    },
    devices: { EC: 'Armoire d’échange', BAT: 'Batterie', ESS: 'Stockage d’énergie' },
  },
}
