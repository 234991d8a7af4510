/* Made by make_sigv4_cases.py: change that, not this. */
static const struct sigv4_case sigv4_cases[] = {
    {"get-vanilla",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-vanilla, no path",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-header-key-duplicate",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/",
     {"My-Header1:value2", "My-Header1:value2", "My-Header1:value1", "X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\n\nhost:example.amazonaws.com\nmy-header1:value2,value2,value1\nx-amz-date:20150830T123600Z\n\nhost;my-header1;"
     "x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;my-header1;x-amz-date",
     "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
    {"get-header-value-order",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/",
     {"My-Header1:value4", "My-Header1:value1", "My-Header1:value3", "My-Header1:value2",
      "X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\n\nhost:example.amazonaws.com\nmy-header1:value4,value1,value3,value2\nx-amz-date:20150830T123600Z\n\nhost;my-"
     "header1;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;my-header1;x-amz-date",
     "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"},
    {"get-header-value-trim",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/",
     {"My-Header1: value1", "My-Header2: \"a   b   c\"", "X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/\n\nhost:example.amazonaws.com\nmy-header1:value1\nmy-header2:\"a b "
     "c\"\nx-amz-date:20150830T123600Z\n\nhost;my-header1;my-header2;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;my-header1;my-header2;x-amz-date",
     "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
    {"get-unreserved",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\n\nhost:example.amazonaws.com\nx-amz-date:"
     "20150830T123600Z\n\nhost;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
    {"get-utf8",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/%E1%88%B4",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "%E1%88%B4\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
    {"get-space",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/example%20space/",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/example%20space/"
     "\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"},
    {"get-special-character",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/example/$delete",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/example/"
     "%24delete\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "a853c9b21b528b19643d00910d35b83a10c366a10833ceefb45edd6c80e40f27"},
    {"get-vanilla-empty-query-key",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/?Param1=value1",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\nParam1=value1\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"},
    {"get-vanilla-query-order-encoded",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\n%E1%88%B4=Value1&Param=Value2&Param-3=Value3\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;"
     "x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"},
    {"get-vanilla-query-order-key-case",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/?Param2=value2&Param1=value1",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\nParam1=value1&Param2=value2\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
    {"get-vanilla-query-order-key",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/?Param1=value2&Param1=Value1",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\nParam1=Value1&Param1=value2\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1"},
    {"get-vanilla-query-order-value",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/?Param1=value2&Param1=value1",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\nParam1=value1&Param1=value2\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"},
    {"get-vanilla-query-unreserved",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/"
     "?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~"
     "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\n-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~"
     "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\nhost:example.amazonaws.com\nx-amz-date:"
     "20150830T123600Z\n\nhost;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
    {"get-vanilla-utf8-query",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/?%E1%88%B4=bar",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\n%E1%88%B4=bar\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
    {"get-vanilla-with-session-token",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "GET",
     "https://example.amazonaws.com/",
     {"X-Amz-Date:20150830T123600Z",
      "X-Amz-Security-Token:6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\nx-amz-security-token:"
     "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267\n\nhost;x-amz-date;x-amz-security-"
     "token\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date;x-amz-security-token",
     "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"},
    {"post-vanilla",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "POST",
     "https://example.amazonaws.com/",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "POST\n/"
     "\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
    {"post-header-key-sort",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "POST",
     "https://example.amazonaws.com/",
     {"My-Header1:value1", "X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "POST\n/"
     "\n\nhost:example.amazonaws.com\nmy-header1:value1\nx-amz-date:20150830T123600Z\n\nhost;my-header1;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;my-header1;x-amz-date",
     "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
    {"post-header-value-case",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "POST",
     "https://example.amazonaws.com/",
     {"My-Header1:VALUE1", "X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "POST\n/"
     "\n\nhost:example.amazonaws.com\nmy-header1:VALUE1\nx-amz-date:20150830T123600Z\n\nhost;my-header1;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;my-header1;x-amz-date",
     "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
    {"post-sts-header-before",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "POST",
     "https://example.amazonaws.com/",
     {"X-Amz-Date:20150830T123600Z",
      "X-Amz-Security-Token:AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "POST\n/\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;x-amz-date;x-amz-security-"
     "token\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date;x-amz-security-token",
     "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"},
    {"post-vanilla-query",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "POST",
     "https://example.amazonaws.com/?Param1=value1",
     {"X-Amz-Date:20150830T123600Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "POST\n/"
     "\nParam1=value1\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-"
     "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-date",
     "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
    {"post-x-www-form-urlencoded",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "POST",
     "https://example.amazonaws.com/",
     {"Content-Type:application/x-www-form-urlencoded", "X-Amz-Date:20150830T123600Z"},
     "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e",
     "POST\n/\n\ncontent-type:application/"
     "x-www-form-urlencoded\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\ncontent-type;host;x-amz-"
     "date\n9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e",
     "content-type;host;x-amz-date",
     "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
    {"post-x-www-form-urlencoded-parameters",
     {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z"},
     "POST",
     "https://example.amazonaws.com/",
     {"Content-Type:application/x-www-form-urlencoded; charset=utf8", "X-Amz-Date:20150830T123600Z"},
     "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e",
     "POST\n/\n\ncontent-type:application/x-www-form-urlencoded; "
     "charset=utf8\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\ncontent-type;host;x-amz-"
     "date\n9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e",
     "content-type;host;x-amz-date",
     "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"},
    {"S3's guide: GET of a range",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1", "s3", "20130524T000000Z"},
     "GET",
     "https://examplebucket.s3.amazonaws.com/test.txt",
     {"Range: bytes=0-9", "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "x-amz-date: 20130524T000000Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "test.txt\n\nhost:examplebucket.s3.amazonaws.com\nrange:bytes=0-9\nx-amz-content-sha256:"
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nx-amz-date:20130524T000000Z\n\nhost;range;x-"
     "amz-content-sha256;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;range;x-amz-content-sha256;x-amz-date",
     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
    {"S3's guide: PUT",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1", "s3", "20130524T000000Z"},
     "PUT",
     "https://examplebucket.s3.amazonaws.com/test%24file.text",
     {"Date: Fri, 24 May 2013 00:00:00 GMT", "x-amz-date: 20130524T000000Z", "x-amz-storage-class: REDUCED_REDUNDANCY",
      "x-amz-content-sha256: 44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"},
     "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
     "PUT\n/test%24file.text\n\ndate:Fri, 24 May 2013 00:00:00 "
     "GMT\nhost:examplebucket.s3.amazonaws.com\nx-amz-content-sha256:"
     "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072\nx-amz-date:20130524T000000Z\nx-amz-storage-"
     "class:REDUCED_REDUNDANCY\n\ndate;host;x-amz-content-sha256;x-amz-date;x-amz-storage-"
     "class\n44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
     "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
     "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
    {"S3's guide: GET of a setting",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1", "s3", "20130524T000000Z"},
     "GET",
     "https://examplebucket.s3.amazonaws.com/?lifecycle",
     {"x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "x-amz-date: 20130524T000000Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\nlifecycle=\nhost:examplebucket.s3.amazonaws.com\nx-amz-content-sha256:"
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nx-amz-date:20130524T000000Z\n\nhost;x-amz-"
     "content-sha256;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-content-sha256;x-amz-date",
     "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
    {"S3's guide: listing",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1", "s3", "20130524T000000Z"},
     "GET",
     "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J",
     {"x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "x-amz-date: 20130524T000000Z"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "\nmax-keys=2&prefix=J\nhost:examplebucket.s3.amazonaws.com\nx-amz-content-sha256:"
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nx-amz-date:20130524T000000Z\n\nhost;x-amz-"
     "content-sha256;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-content-sha256;x-amz-date",
     "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
    {"key 'a/b'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/a/b",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/a/"
     "b\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-date:"
     "20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "d9b90a5894e0139281d0e9e7756801c47f4e8f25ae4e0e74af27f4f381e86f50"},
    {"key 'year=2024/month=01/0.0'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/year%3D2024/month%3D01/0.0",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/year%3D2024/month%3D01/"
     "0.0\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-date:"
     "20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "fc3e138aff759003ef40631583b6c0aab3a08481b28c22d7839d4e191ddc30dd"},
    {"key 'c/0:1'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/c/0%3A1",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/c/"
     "0%3A1\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-"
     "date:20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "ecc09a554b0d695a55bc060814f6796ec44565dfea05edee3894a1aa0e9653ef"},
    {"key 'with blank'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/with%20blank",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/"
     "with%20blank\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-"
     "amz-date:20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "f55d0ba7bd0b20863d6e4663f8a91cfc6167b53c87b5433c1e3013fdc1a6efbe"},
    {"key 'plus+sign'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/plus%2Bsign",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/"
     "plus%2Bsign\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-"
     "amz-date:20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "54ff28a68a9ea4b0e7ea8a541c487dbae7a72d37df49892c121575b415e8829d"},
    {"key 'a//b'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/a//b",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/a//"
     "b\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-date:"
     "20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "a63532b004eac309861a41cd76cdfebcbe553bb9345d491abb8c12c49873c7ed"},
    {"key '//'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com///",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n///"
     "\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-date:"
     "20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "c1848db6aa4d7b4137758844dfc759c11c9e2efc91212b13a3e31b777996a9db"},
    {"key 'a/../b/./c'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/a/../b/./c",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/a/../b/./"
     "c\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-date:"
     "20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "84f604daba5f60bb71a8bc8c41e1dfc49e1a9a64fcc1a74c07616f19fdfd840a"},
    {"key '\\xe4/\\u1234/\\U0001f600'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/%C3%A4/%E1%88%B4/%F0%9F%98%80",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/%C3%A4/%E1%88%B4/"
     "%F0%9F%98%80\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-"
     "amz-date:20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "9b49c08008be7f58c55430c6e460658158a5b039c0250e70bd3d902dabef1991"},
    {"key '100%'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/100%25",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/"
     "100%25\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-"
     "date:20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "07408afa823580f3a38490ada08ae30001b948ebed3652fec4dcefd1cc40f1df"},
    {"key '%41'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/%2541",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/"
     "%2541\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-"
     "date:20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "ca38d1245d16f24c582053eccc7c54c8722733a6095e2b6de19ccd89df4530e5"},
    {"key 'q?x=1&y#z'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/q%3Fx%3D1%26y%23z",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/"
     "q%3Fx%3D1%26y%23z\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-"
     "PAYLOAD\nx-amz-date:20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "0753f202c4f345d342a5edeb338ec3cecedc933493002935695fe719d10f75b7"},
    {"key '~-._'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/~-._",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/"
     "~-._\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-date:"
     "20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "ed5f709cf9b4ff35777077d60c2984232fefc90079d19350809a47e0c73cf8f3"},
    {"key \"!*'()\"",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/%21%2A%27%28%29",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/"
     "%21%2A%27%28%29\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-"
     "PAYLOAD\nx-amz-date:20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "56d3e2e5a7197a9c4b226ac6c2d5690871ad2f2eec6f7061282db2358992dec2"},
    {"key 'a;b,c@d$e'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/a%3Bb%2Cc%40d%24e",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/"
     "a%3Bb%2Cc%40d%24e\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-"
     "PAYLOAD\nx-amz-date:20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "29df979a146df41e9f8565447f2428bf7b694f75f6300748fbaded6775c12cea"},
    {"key '\\t'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/%09",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/"
     "%09\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-date:"
     "20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "c817aaadcaa94fce3e79f64792bbe72fb871a602393a7fbd1e75223d0f93a0ee"},
    {"key '\\x7f'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/%7F",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/"
     "%7F\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-date:"
     "20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "caff370034c8be2c8ff3eb0e6c74bd5f25e6a5780b62bf83ce4fbd12d3d3bf18"},
    {"key '[]{}|\\\\^`\"<>'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/%5B%5D%7B%7D%7C%5C%5E%60%22%3C%3E",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/"
     "%5B%5D%7B%7D%7C%5C%5E%60%22%3C%3E\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:"
     "UNSIGNED-PAYLOAD\nx-amz-date:20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "a6bc6604ae1b0213ae9d66593c0d679adcbd66de47ee961bb9f8c7bc35e34d64"},
    {"key 'trailing/'",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "PUT",
     "https://b.s3.eu-central-1.amazonaws.com/trailing/",
     {"x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z",
      "X-Amz-Security-Token: "
      "AQoDYXdzEPT//////////"
      "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
      "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
      "If-None-Match: *"},
     "UNSIGNED-PAYLOAD",
     "PUT\n/trailing/"
     "\n\nhost:b.s3.eu-central-1.amazonaws.com\nif-none-match:*\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-date:"
     "20261123T134500Z\nx-amz-security-token:AQoDYXdzEPT//////////"
     "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
     "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+"
     "xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/"
     "oLxBA==\n\nhost;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token\nUNSIGNED-PAYLOAD",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "bf68cb43cf7a6fda8fb7f6f90b3ad9c682bfa1fb30ae3d3c78f9d5fd614378fe"},
    {"query delete",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "GET",
     "http://127.0.0.1:9000/bucket?delete",
     {"x-amz-date: 20261123T134500Z",
      "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "bucket\ndelete=\nhost:127.0.0.1:9000\nx-amz-content-sha256:"
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nx-amz-date:20261123T134500Z\n\nhost;x-amz-"
     "content-sha256;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-content-sha256;x-amz-date",
     "a0faf9f0cdf197361f322b139cbdb06e54ecfc245ee087a8f81b41fd5bab281e"},
    {"query list-type=2&prefix=a%2Fb&delimiter=%2F",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "GET",
     "http://127.0.0.1:9000/bucket?list-type=2&prefix=a%2Fb&delimiter=%2F",
     {"x-amz-date: 20261123T134500Z",
      "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "bucket\ndelimiter=%2F&list-type=2&prefix=a%2Fb\nhost:127.0.0.1:9000\nx-amz-content-sha256:"
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nx-amz-date:20261123T134500Z\n\nhost;x-amz-"
     "content-sha256;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-content-sha256;x-amz-date",
     "d354e3304ef2a32fea6ba72cd6c2ace22d3479d66a140b04cbb85b44f9ced0cc"},
    {"query uploads",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "GET",
     "http://127.0.0.1:9000/bucket?uploads",
     {"x-amz-date: 20261123T134500Z",
      "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "bucket\nuploads=\nhost:127.0.0.1:9000\nx-amz-content-sha256:"
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nx-amz-date:20261123T134500Z\n\nhost;x-amz-"
     "content-sha256;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-content-sha256;x-amz-date",
     "f63c77010b189e71448798f95e3f6c8e984751f62aece82d74e8285c1fab0c63"},
    {"query partNumber=2&uploadId=x%3D%3D",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "GET",
     "http://127.0.0.1:9000/bucket?partNumber=2&uploadId=x%3D%3D",
     {"x-amz-date: 20261123T134500Z",
      "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "bucket\npartNumber=2&uploadId=x%3D%3D\nhost:127.0.0.1:9000\nx-amz-content-sha256:"
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nx-amz-date:20261123T134500Z\n\nhost;x-amz-"
     "content-sha256;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-content-sha256;x-amz-date",
     "289ae0a880c92a60a5aa3dbf4258dbf2b9e2e6568babee4d99669b622f201bd9"},
    {"query prefix=a%20b&list-type=2&continuation-token=1%2B2%3D",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "GET",
     "http://127.0.0.1:9000/bucket?prefix=a%20b&list-type=2&continuation-token=1%2B2%3D",
     {"x-amz-date: 20261123T134500Z",
      "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "bucket\ncontinuation-token=1%2B2%3D&list-type=2&prefix=a%20b\nhost:127.0.0.1:9000\nx-amz-content-sha256:"
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nx-amz-date:20261123T134500Z\n\nhost;x-amz-"
     "content-sha256;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-content-sha256;x-amz-date",
     "dbe6c864159e20a33bbed86083cc411c08d0072d40b0fc6ff4c6639c72f2836a"},
    {"query prefix=%C3%A4&b&a=",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "GET",
     "http://127.0.0.1:9000/bucket?prefix=%C3%A4&b&a=",
     {"x-amz-date: 20261123T134500Z",
      "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "bucket\na=&b=&prefix=%C3%A4\nhost:127.0.0.1:9000\nx-amz-content-sha256:"
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nx-amz-date:20261123T134500Z\n\nhost;x-amz-"
     "content-sha256;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-content-sha256;x-amz-date",
     "3387c26a59b9bf666f9a1b84e9ac08d89211e4156493a66b00ded2d2c39d5fa9"},
    {"query start-after=!*'()",
     {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z"},
     "GET",
     "http://127.0.0.1:9000/bucket?start-after=!*'()",
     {"x-amz-date: 20261123T134500Z",
      "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "GET\n/"
     "bucket\nstart-after=%21%2A%27%28%29\nhost:127.0.0.1:9000\nx-amz-content-sha256:"
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nx-amz-date:20261123T134500Z\n\nhost;x-amz-"
     "content-sha256;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "host;x-amz-content-sha256;x-amz-date",
     "d69706f68b876ff45b7f9706c9f13ef586bf7c7ab8f3e27a5086b066871041c4"},
};
