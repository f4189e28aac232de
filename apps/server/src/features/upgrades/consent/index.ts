export {
  type AskUpgrade,
  createAskUpgrade,
  type DoUpgrade,
  defineUpgrades,
  type PackageFile,
  refuseOther,
  type UpgradeConsent,
  type UpgradeDeed,
  type UpgradeDone,
} from './upgrade-deeds.ts'
