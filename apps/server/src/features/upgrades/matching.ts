/** What the SQL of upgrades takes from firmware: queries import no other feature themselves. */
export {
  isOnVersion,
  packageFitsDevice,
  packageFitsPart,
  packageVersionText,
} from '../firmware/index.ts'
