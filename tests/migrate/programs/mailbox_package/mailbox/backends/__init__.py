from .customer import Customer
from .office import Office

BACKENDS = {"office": Office, "customer": Customer}
