export {
  type AskUpgrade,
  createAskUpgrade,
  type DoUpgrade,
  defineUpgrades,
  type UpgradeDeed,
  type UpgradeDone,
} from './upgrade-deeds.ts'
