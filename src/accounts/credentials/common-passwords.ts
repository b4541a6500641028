/** Passwords of 8 characters and more that guessers try first, here and elsewhere. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `12345678 123456789 1234567890 12345678910 0123456789 0987654321 987654321 9876543210 11111111
  111111111 1111111111 00000000 000000000 0000000000 22222222 55555555 66666666 77777777 88888888
  99999999 12341234 12121212 11223344 1122334455 123123123 123321123 147258369 159753456 741852963
  789456123 12344321 87654321 11112222 01234567 password password1 password12 password123
  password1234 password! passw0rd p@ssw0rd p@ssword pa$$word pa55word passwort passwords mypassword
  qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 qwerty12345 1q2w3e4r 1q2w3e4r5t 1qaz2wsx
  1qazxsw2 zaq12wsx zxcvbnm1 zxcvbnm123 asdfghjk asdfghjkl asdf1234 asdfasdf abcd1234 abcdefgh
  abcdefg1 abc12345 abc123456 a1b2c3d4 aa123456 a12345678 a123456789 q1w2e3r4 iloveyou iloveyou1
  iloveyou2 sunshine princess football football1 baseball basketball superman batman123 starwars
  trustno1 welcome1 welcome123 admin123 admin1234 administrator letmein1 letmein123 whatever
  computer internet samsung1 samsung123 michelle jennifer jonathan danielle christian liverpool
  liverpool1 arsenal1 arsenal123 chelsea1 chelsea123 manchester barcelona realmadrid juventus
  changeme changeme1 changeme123 test1234 testtest testing1 testing123 guest1234 default1 secret123
  monkey123 dragon123 master123 shadow123 hello123 hello1234 helloworld google123 facebook
  facebook1 instagram whatsapp youtube1 tanzania tanzania1 tanzania12 tanzania123 tanzania2024
  tanzania2025 tanzania2026 daressalaam dodoma123 mwanza123 arusha123 zanzibar zanzibar1
  kilimanjaro serengeti kiswahili swahili123 nakupenda nakupenda1 nakupenda2 nakupendasana mpenzi123
  mpenziwangu mungunimwema munguwangu mungu123 asanteyesu yesuniwangu bwanayesu jesus123
  jesuschrist godisgood godislove blessing blessings yangasc123 yanga1935 simbasc123 simba1936
  simba123 yanga123 karibu123 nenosiri nenosiri1 nenosiri123 mlango123 vodacom1 vodacom123 airtel123
  halotel123 tigopesa mpesa123`.split(/\s+/),
)
